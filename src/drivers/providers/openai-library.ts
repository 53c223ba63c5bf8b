/** OpenAI's client. The build puts it into this file, which takes a tenth of the package. */
export { OpenAI } from 'openai';
