import { z } from 'zod';
import { Config } from './config.ts';
import { overriding } from './fields.ts';

const { embedding, storage } = Config.shape;

/** The fields of a request that say which model embeds. */
export const embedderFields = {
  provider: overriding(embedding.shape.provider, 'embedding.provider'),
  model: overriding(embedding.shape.model, 'embedding.model'),
};

/** The fields of a request that say which collection it is about, and where that is. */
export const storeFields = {
  vector_db: overriding(storage.shape.vector_db, 'storage.vector_db'),
  collection: overriding(Config.shape.collection, 'collection'),
  url: overriding(storage.shape.url, 'storage.url'),
};

/** Collections that one question is asked of, at most. */
const MOST_COLLECTIONS = 20;

/** The same of a search, which may be about several collections. */
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
