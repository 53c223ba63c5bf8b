import { expect, test } from 'vitest';
import { addressOf } from '../../src/http/message.ts';

test.each([
  ['127.0.0.1:8601/x', 'Did you mean http://127.0.0.1:8601/x?'],
  ['localhost:8601/x', 'Did you mean http://localhost:8601/x?'],
  ['docs.example.com/guide/', 'Did you mean https://docs.example.com/guide/?'],
  ['docs.example.com?api_key=s3cret', 'Did you mean https://docs.example.com/?'],
  ['ftp://docs.example.com/', 'Give one that begins with http:// or https://.'],
  ['manuals/pump.md', 'Give one that begins with http:// or https://.'],
])('%s is refused with a hint', (address, hint) => {
  expect(() => addressOf(address)).toThrow(expect.objectContaining({ code: 'usage', hint }));
});
