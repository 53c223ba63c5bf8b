import type { Metadata } from '../../schema/items.ts';

/** The properties of a document without those that it does not give. */
export const givenProperties = (properties: Metadata): Metadata =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
