import { z } from 'zod';
import { Config } from './config.ts';
import { overriding } from './fields.ts';

const { embedding, storage } = Config.shape;

/** Request fields that choose the embedding model. */
export const embedderFields = {
  provider: overriding(embedding.shape.provider, 'embedding.provider'),
  model: overriding(embedding.shape.model, 'embedding.model'),
};

/** Request fields that choose the collection and its store. */
export const storeFields = {
  vector_db: overriding(storage.shape.vector_db, 'storage.vector_db'),
  collection: overriding(Config.shape.collection, 'collection'),
  url: overriding(storage.shape.url, 'storage.url'),
};

/** Maximum collections that one search covers. */
const MOST_COLLECTIONS = 20;

/** The same for a search, which may cover several collections. */
export const searchedFields = {
  ...storeFields,
  collection: z
    .union([Config.shape.collection, z.array(Config.shape.collection).min(1).max(MOST_COLLECTIONS)])
    .optional()
    .meta({
      description: 'Collection to search, or a list of collections that were embedded with the same model',
      overrides: 'collection',
    }),
};
