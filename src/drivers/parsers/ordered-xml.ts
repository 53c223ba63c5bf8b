/**
 * Options of fast-xml-parser for a tree that loses nothing: elements and texts in their order, all of them as text. Deeper nesting than `maxNestedTags` is an
 * error.
 */
export const orderedXml = (maxNestedTags: number) =>
  ({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    attributesGroupName: false,
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    htmlEntities: true, // without it numeric ones are not read either
    ignoreDeclaration: true,
    ignorePiTags: true,
    maxNestedTags,
  }) as const;
