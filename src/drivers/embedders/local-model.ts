import { join } from 'node:path';
import { packageRoot } from '../../base/project.ts';

/** The bundled model: sentence-transformers/all-MiniLM-L6-v2, int8 (its NOTICE tells how it was made). */
export const MODEL = 'all-minilm-l6-v2';

/** Where the model lies: `model.onnx`, `tokenizer.json`, `tokenizer_config.json`. */
export const modelFolder: string = join(packageRoot, 'models', MODEL);

/** Length of its vectors. */
export const DIMENSIONS = 384;

/** Tokens that it reads at once, its two marks of begin and end counted in: what it was trained with (its model card). */
export const WINDOW = 256;

/** Windows that are read of a query, about a thousand words: it is answered while someone waits. Documents are read whole. */
export const QUERY_WINDOWS = 4;

/** Characters that are read of a query, more than fill its windows; several blanks count as one. */
export const QUERY_CHARACTERS = 16_000;
