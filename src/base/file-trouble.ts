/** What a system says of a file that can't be read or written, by its codes (errno of POSIX). */
const SAID: Readonly<Record<string, string>> = {
  ENOTDIR: 'a file stands where its folder would be',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be touched by you',
  EPERM: 'it may not be touched by you',
  EROFS: 'nothing can be written there',
  ENOSPC: 'there is no room left',
  EDQUOT: 'there is no room left for you',
  ELOOP: 'it is a link that leads to itself',
  ENAMETOOLONG: 'its name is too long',
};

/** What is not there: the file itself, or what it would be written into. */
const ABSENT = { read: 'there is none of that name', write: 'there is no such folder' } as const;

/** Why a file can't be read or written, as the end of a sentence. */
export function fileTrouble(cause: unknown, task: keyof typeof ABSENT): string {
  const { code = '', message = String(cause) } = (cause ?? {}) as NodeJS.ErrnoException;
  if (code === 'ENOENT') return ABSENT[task];
  return Object.hasOwn(SAID, code) ? SAID[code]! : message.replace(/\.$/, '') || code;
}
