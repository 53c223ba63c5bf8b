/** OpenAI's client. The build bundles it into this file, which has a tenth of the package's size. */
export { OpenAI } from 'openai';
