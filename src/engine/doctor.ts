import { count, listNames } from '../text/count.ts';
import { installedLanguages, ocrFolder, setUpOcr } from '../drivers/setup/ocr.ts';
import { describe } from '../core/errors.ts';
import { findUnsetReference } from '../core/settings.ts';
import { mapEvents, progress, type Run } from '../core/run.ts';
import { siteHeaders } from '../http/site-headers.ts';
import { findBrowser } from '../drivers/browser/chromium.ts';
import { findOllama } from '../drivers/providers/ollama.ts';
import { findProvider } from '../drivers/providers/providers.ts';
import type {
  DoctorCheck,
  DoctorRequest,
  DoctorResult,
  SetupBrowserRequest,
  SetupBrowserResult,
  SetupOcrRequest,
  SetupOcrResult,
} from '../schema/diagnosis.ts';
import { embedderLabel, embedderName, permittedCollections, openEmbedder } from './collections.ts';
import type { Context } from './context.ts';
import { describeInProcess } from './resources.ts';
import { storeUrl } from './store-address.ts';
import { setUpBrowser } from '../drivers/browser/install-browser.ts';

type Finding = Omit<DoctorCheck, 'name'>;

const ok = (message: string): Finding => ({ status: 'ok', message });
const warning = (message: string): Finding => ({ status: 'warning', message });

/** Checks the setup, all at once. Each check reports what it found and how to fix it. `connections` also sends requests to the providers. */
export async function* doctor({ connections = false, ...repairOptions }: DoctorRequest, context: Context): Run<DoctorResult> {
  const damage = (await checkDamage(context, repairOptions).catch(() => [])).map((finding) => ({ name: 'damage', ...finding })); // the check of the store reports that it cannot be opened
  const steps: [string, () => Promise<Finding>][] = [
    ['node', async () => ok(`Node ${process.versions.node}`)],
    ['store', () => checkStore(context)],
    ['collection', () => checkCollection(context)],
    ['embedding', () => checkEmbedder(context, connections)],
    ['chat', () => checkLlm(context, connections)],
    ['rerank', () => checkReranker(context, connections)],
    ['browser', checkBrowser],
    ['ocr', async () => checkOcr(context)],
    ['sites', async () => checkSites(context)],
  ];
  const ollama = checkOllama(context);
  const found = await Promise.all(
    steps.map(async ([name, check]): Promise<DoctorCheck[]> => {
      const finding = await check().catch((error: unknown): Finding => ({ status: 'failed', message: describe(error) }));
      return [{ name, ...finding }, ...(name === 'store' ? damage : [])];
    }),
  );
  const isDamaged = damage.some(({ status, message }) => status !== 'ok' && message.includes(`"${context.settings.collection}"`));
  // of a collection with damage the count of its chunks would say that it is whole
  const checks = [...found.flat(), ...(await ollama)].filter(
    ({ name, status }) => !(isDamaged && name === 'collection' && status === 'ok'),
  );
  return { checks, failed: checks.filter(({ status }) => status === 'failed').length };
}

async function checkStore(context: Context): Promise<Finding> {
  const { settings, home } = context;
  const collections = await permittedCollections(context);
  const store = await context.resources.store(settings.storage);
  const place = `${settings.storage.vector_db} at ${storeUrl(settings.storage, home)}`;
  const { message: description, warnings = [] } = (await store.describe?.()) ?? {};
  const message = [`${place}: ${count(collections.length, 'collection')}`, description].filter(Boolean).join('; ');
  return warnings.length > 0 ? warning(`${[message, ...warnings].join('. ')}.`) : ok(message);
}

/** Checks the store for damage; with `repair` it is repaired, what removes data only with `yes`. */
async function checkDamage({ settings, resources }: Context, { repair: isAsked = false, yes = false }: DoctorRequest): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { problem, advice, repair } of (await (await resources.store(settings.storage)).problems?.()) ?? []) {
    const message = [problem, advice].filter(Boolean).join(' ');
    if (!repair) findings.push({ status: 'failed', message });
    else if (isAsked && (yes || !repair.removes)) {
      await repair.run();
      findings.push(ok(`${problem} Repaired: ${repair.outcome}`));
    } else findings.push(warning(`${message} kb doctor --repair${repair.removes ? ' --yes' : ''} ${repair.action}.`));
  }
  return findings;
}

const collectionOf = async ({ settings, resources }: Context) => (await resources.store(settings.storage)).open(settings.collection);

async function checkCollection(context: Context): Promise<Finding> {
  const { settings } = context;
  const collection = await collectionOf(context);
  if (!collection) return warning(`There is no collection "${settings.collection}" yet. Create it with kb ingest --docs FOLDER.`);
  const { info } = collection;
  const { provider, model } = await embedderName(context, info);
  if (info.provider !== provider || info.model !== model) {
    return {
      status: 'failed',
      message: `"${info.name}" was embedded with ${embedderLabel(info)}, the configuration says ${embedderLabel({ provider, model })}. kb collections reembed ${info.name} fixes that.`,
    };
  }
  return ok(`"${info.name}": ${count(await collection.count(), 'chunk')}`);
}

async function checkEmbedder(context: Context, connections: boolean): Promise<Finding> {
  const collectionEmbedder = (await collectionOf(context).catch(() => undefined))?.info; // the check of the store reports that it cannot be opened
  const { provider, model } = await embedderName(context, collectionEmbedder);
  if (provider === 'none') return ok('none: search by words alone');
  const embedder = await openEmbedder(context, collectionEmbedder);
  if (!describeInProcess('embedders', provider) && !connections) return notCalled(provider, model);
  const [vector] = await embedder!.embed(['A test.'], { input_type: 'query', signal: context.signal });
  return ok(`${provider} / ${model}: answers with vectors of length ${vector!.length}`);
}

async function checkLlm({ settings, resources, signal }: Context, connections: boolean): Promise<Finding> {
  const { provider, timeout, max_tokens } = settings.chat.llm;
  const quoting = describeInProcess('llms', provider);
  if (quoting) return ok(`${provider}: ${quoting}`);
  const llm = await resources.llm(settings.chat.llm, undefined);
  if (!connections) return notCalled(provider, llm.model);
  const answer = llm.generate({
    messages: [{ role: 'user', content: 'Say yes.' }],
    grounding: { query: '', sources: [] },
    max_tokens,
    timeout,
    signal,
  });
  for await (const _piece of answer) break;
  return ok(`${provider} / ${llm.model}: answers`);
}

async function checkReranker({ settings, resources, signal }: Context, connections: boolean): Promise<Finding> {
  const { enabled, provider } = settings.rerank;
  if (!enabled) return ok('off: passages stay in the order of the search');
  const comparing = describeInProcess('rerankers', provider);
  if (comparing) return ok(`${provider}: ${comparing}`);
  const reranker = await resources.reranker(settings.rerank, settings.chat.llm);
  if (!connections) return notCalled(provider, reranker.model);
  await reranker.rank('Is this a test?', [{ text: 'This is a test.', score: 1, metadata: {} }], { signal });
  return ok(`${provider} / ${reranker.model}: answers`);
}

/** Says that Ollama runs on this machine, and how to use its models; nothing if it does not. */
async function checkOllama({ environment }: Context): Promise<DoctorCheck[]> {
  const running = await findOllama(environment);
  if (!running) return [];
  const { provider, address, llms, embedders } = running;
  const uses = [
    ...(llms.length > 0 ? [`${listNames(llms, 20)} can answer (chat.llm.provider: ${provider}, chat.llm.model)`] : []),
    ...(embedders.length > 0 ? [`${listNames(embedders, 20)} can embed (embedding.provider: ${provider}, embedding.model)`] : []),
  ];
  return [{ name: provider, ...ok(`runs at ${address}; ${uses.join('; ') || 'no model is installed'}`) }];
}

/** The finding for a provider that could be opened but was not called. */
function notCalled(provider: string, model: string): Finding {
  const isKeyless = findProvider(provider)?.is_keyless;
  return ok(`${provider} / ${model}: ${isKeyless ? 'needs no key' : 'the key is set'} (--connections asks the provider)`);
}

async function checkBrowser(): Promise<Finding> {
  const browser = await findBrowser();
  return browser === undefined
    ? warning('No Chrome or Chromium was found. Only pages that need JavaScript cannot be read; kb setup-browser installs one.')
    : ok(browser);
}

/** Checks OCR; a missing part is a warning only if OCR is configured. */
function checkOcr({ settings: { ingestion } }: Context): Finding {
  const { ocr, ocr_languages } = ingestion.docs;
  const languages = installedLanguages();
  const missing = (ocr_languages?.split('+') ?? []).filter((language) => !languages.includes(language));
  const setup = `kb setup-ocr ${missing.join(' ') || 'eng'}`;
  if (languages.length === 0 && ocr !== 'auto') return ok(`not set up: scans are reported, not read (${setup} installs it)`);
  if (languages.length === 0) return warning(`ingestion.docs.ocr is auto, and OCR is not set up. ${setup} installs it.`);
  if (missing.length > 0) return warning(`OCR has no data for ${missing.join(', ')}. ${setup} installs it.`);
  return ok(`reads ${languages.join(', ')} (${ocrFolder()}); ingestion.docs.ocr is ${ocr}`);
}

/** Checks the credentials for sites and APIs: an unset variable would make each request fail. */
function checkSites({ settings: { network, ingestion } }: Context): Finding {
  const { headers, params, body } = ingestion.api;
  for (const { origin } of network.sites) siteHeaders(new URL(origin), network.sites);
  const unset = findUnsetReference({ headers, params, body }, 'ingestion.api');
  if (unset) throw unset;
  const { length } = network.sites;
  if (length === 0) return ok('none: no origin is given credentials (network.sites)');
  return ok(`${length === 1 ? '1 origin is' : `${length} origins are`} given what network.sites says`);
}

/** Finds a Chrome or Chromium that starts, or installs one. */
export async function* setupBrowser(_request: SetupBrowserRequest, { signal }: Context): Run<SetupBrowserResult> {
  const { path, version, isInstalled } = yield* withProgress(setUpBrowser({ signal }));
  const message = isInstalled
    ? `Chromium ${version} was installed at ${path}, and starts: pages can be rendered.`
    : `Version ${version} of ${path} was found, and starts: pages can be rendered, nothing was installed.`;
  return { browser: path, version, installed: isInstalled, message };
}

/** Installs OCR and languages that are missing. */
export async function* setupOcr({ languages: wanted }: SetupOcrRequest, { signal }: Context): Run<SetupOcrResult> {
  const installed = yield* withProgress(setUpOcr([...new Set(wanted)], { signal }));
  const [folder, languages] = [ocrFolder(), installedLanguages()];
  const done = installed.length > 0 ? `${listNames(installed, 20)} installed` : 'all was there already, nothing was installed';
  return { folder, languages, installed, message: `OCR reads ${listNames(languages, 20)}: ${done}, in ${folder}.` };
}

const withProgress = <Result>(work: AsyncGenerator<string, Result, void>): Run<Result> =>
  mapEvents(work, (message) => progress('setup', {}, message));
