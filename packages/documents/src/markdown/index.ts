// Markdown for other modules: its lines and blocks, what writes it, and the character references in it.
export { type Block, blocksOf, fenceMark, plainTitle, readBlocks } from './blocks.ts';
export { isSpace, lineKind, type MarkdownLine, newlinesIn, readLine, skipSpace, trimEnd } from './lines.ts';
export { escapeTags, heading, oneLine } from './write.ts';
export { decodeBlockReferences, decodeReferences, hasReferences } from './character-references.ts';
