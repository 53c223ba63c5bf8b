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
