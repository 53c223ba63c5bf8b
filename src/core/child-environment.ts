/** Programs that kb starts. */
type Child = 'browser' | 'installer' | 'build';

const FILES_AND_LOCALE = 'HOME|USER|LOGNAME|PATH|TZ|LANG|LANGUAGE|LC_\\w+|TMPDIR|TEMP|TMP|XDG_\\w+';
const WINDOWS =
  'SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES.*|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE';
/** Proxies, certificates and mirrors, from which an installer downloads. */
const DOWNLOADS = '(?:HTTPS?|ALL|NO)_PROXY|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|NPM_CONFIG_\\w+|PLAYWRIGHT_\\w+';
/** Version managers of Node put scripts on the PATH that need their own variables. */
const VERSION_MANAGERS = '(?:NVM|FNM|ASDF|MISE|VOLTA|PROTO|NODENV|COREPACK)_\\w+';

/** The variables that each program gets. None holds a key: a browser opens pages of strangers. */
const PASSED: Record<Child, RegExp> = {
  browser: new RegExp(
    `^(?:${FILES_AND_LOCALE}|${WINDOWS}|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_\\w+|FONTCONFIG_\\w+|LD_LIBRARY_PATH)$`,
    'i',
  ),
  installer: new RegExp(`^(?:${FILES_AND_LOCALE}|${WINDOWS}|${DOWNLOADS}|${VERSION_MANAGERS}|DEBIAN_FRONTEND|NODE_OPTIONS)$`, 'i'),
  build: new RegExp(`^(?:${FILES_AND_LOCALE}|${WINDOWS}|NO_COLOR|NODE_OPTIONS)$`, 'i'),
};

/**
 * Returns the environment of a child process: a list of variables that this process was started with. Variables of `.env` are not among them, because kb never
 * adds those to `process.env`.
 */
export const childEnvironment = (child: Child): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined && PASSED[child].test(entry[0])),
  );
