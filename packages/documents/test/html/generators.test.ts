import { describe, expect, it } from 'vitest';
import { placeOf, read } from '../support/read.ts';

const page = (body: string, head = ''): Promise<{ text: string }> =>
  read('html', `<!doctype html><html lang="en"><head><title>Install | Aqua docs</title>${head}</head><body>${body}</body></html>`);
const generator = (name: string): string => `<meta name="generator" content="${name}">`;

describe('a page of a documentation generator', () => {
  it('by Docusaurus keeps panels with labels, notes and code, and loses breadcrumbs and anchor signs', async () => {
    const body = `<div class="navbar">NAVWORD</div><div role="region"><a class="skipToContent_x" href="#__docusaurus_skipToContent_fallback">SKIPWORD</a></div>
      <main class="docMainContainer_x"><article><nav class="theme-doc-breadcrumbs breadcrumbs">CRUMBWORD</nav>
      <div class="theme-doc-markdown markdown"><header><h1>Install</h1></header><p>Pick one.</p>
      <div class="theme-tabs-container tabs-container"><ul role="tablist" class="tabs"><li role="tab" aria-selected="true">npm</li><li role="tab" aria-selected="false">yarn</li></ul>
      <div class="margin-top--md"><div role="tabpanel"><div class="language-bash codeBlockContainer_x theme-code-block"><div class="codeBlockTitle_x">shell</div><div><pre tabindex="0" class="prism-code language-bash"><code class="codeBlockLines_x"><span class="token-line" style="color:#000"><span class="token plain">npm install aqua</span><br></span><span class="token-line"><span class="token plain">npx aqua</span><br></span></code></pre><div class="buttonGroup_x"><button aria-label="Copy">COPYWORD</button></div></div></div></div>
      <div role="tabpanel" hidden=""><p>yarn add aqua</p></div></div></div>
      <div class="theme-admonition theme-admonition-tip alert alert--success"><div class="admonitionHeading_x"><span class="admonitionIcon_x"><svg></svg></span>tip</div><div class="admonitionContent_x"><p>Read the manual.</p></div></div>
      <h2 class="anchor" id="next">Next steps<a href="#next" class="hash-link" aria-label="Direct link to Next steps" title="Direct link to Next steps">&#8203;</a></h2>
      <details><summary>More</summary><div><p>Hidden at first.</p></div></details></div>
      <footer class="theme-doc-footer"><a class="theme-edit-this-page" href="https://x.example/edit">Edit this page</a></footer></article><nav class="pagination-nav"><a href="/b">PREVWORD</a></nav></main>`;
    const { text } = await page(body, generator('Docusaurus v3.5.2'));
    expect(text).toBe(
      '# Install\n\nPick one.\n\n**npm**\n\nshell\n\n```bash\nnpm install aqua\nnpx aqua\n```\n\n**yarn**\n\nyarn add aqua\n\n**tip**\n\nRead the manual.\n\n## Next steps\n\n**More**\n\nHidden at first.\n\n[Edit this page](https://x.example/edit)',
    );
  });

  it('by DocBook keeps notes that are laid out as tables, and loses tables for navigation', async () => {
    const body = `<div class="navheader"><table width="100%" summary="Navigation header"><tr><th colspan="3" align="center">Install</th></tr><tr><td width="20%" align="left"><a accesskey="p" href="a.html"><img src="prev.gif" alt="Prev" /></a> </td><th width="60%" align="center">Using Aqua</th><td width="20%" align="right"> <a accesskey="n" href="b.html"><img src="next.gif" alt="Next" /></a></td></tr></table><hr /></div>
      <div class="section"><div class="titlepage"><div><div><h3 class="title"><a id="idm579"></a>Install</h3></div></div></div><p>Press <strong>u</strong> to update the list of packages.</p>
      <div class="note"><table border="0" summary="Note"><tr><td rowspan="2" align="center" valign="top" width="25"><img alt="[Note]" src="note.png" /></td><th align="left">Note</th></tr><tr><td align="left" valign="top"><p>Unplug it first.</p><p>It is hot.</p></td></tr></table></div><p>Wait.</p></div>`;
    expect((await page(body, generator('DocBook XSL Stylesheets Vsnapshot'))).text).toBe(
      '### Install\n\nPress **u** to update the list of packages.\n\n**Note**\n\nUnplug it first.\n\nIt is hot.\n\nWait.',
    );
  });

  it('by Material for MkDocs keeps tabs, notes and annotated code without line numbers', async () => {
    const body = `<header class="md-header">HEADWORD</header><div class="md-container"><div class="md-sidebar">SIDEWORD</div><main class="md-main"><div class="md-content"><article class="md-content__inner md-typeset">
      <a href="https://x.example/edit" title="Edit this page" class="md-content__button md-icon"><svg></svg></a><h1 id="setup">Setup<a class="headerlink" href="#setup" title="Permanent link">&para;</a></h1>
      <div class="admonition warning"><p class="admonition-title">Warning</p><p>Unplug it first.</p></div>
      <div class="tabbed-set tabbed-alternate" data-tabs="1:2"><input checked id="t1" type="radio"><input id="t2" type="radio"><div class="tabbed-labels"><label for="t1">C</label><label for="t2">C++</label></div><div class="tabbed-content"><div class="tabbed-block"><p>Use gcc.</p></div><div class="tabbed-block"><p>Use g++.</p></div></div></div>
      <div class="language-py highlight"><table class="highlighttable"><tbody><tr><td class="linenos"><div class="linenodiv"><pre><span></span><span class="normal">1</span>
<span class="normal">2</span></pre></div></td><td class="code"><div><pre><span></span><code><span class="kn">import</span> aqua
aqua.run()
</code></pre></div></td></tr></tbody></table></div>
      <dl><dt>Pump</dt><dd>Moves water.</dd></dl></article></div></main></div><footer class="md-footer">FOOTERWORD</footer>`;
    expect((await page(body, generator('mkdocs-1.6.0, mkdocs-material-9.5'))).text).toBe(
      '# Setup\n\n**Warning**\n\nUnplug it first.\n\n**C**\n\nUse gcc.\n\n**C++**\n\nUse g++.\n\n```py\nimport aqua\naqua.run()\n```\n\n**Pump**\n\nMoves water.',
    );
  });

  it('by Sphinx keeps signatures with their anchors, field lists, notes and side notes', async () => {
    const body = `<div class="related" role="navigation">RELWORD</div><div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main">
      <section id="aqua"><h1>aqua<a class="headerlink" href="#aqua" title="Link to this heading">¶</a></h1>
      <dl class="py function"><dt class="sig sig-object py" id="aqua.pump"><span class="sig-prename descclassname"><span class="pre">aqua.</span></span><span class="sig-name descname"><span class="pre">pump</span></span><span class="sig-paren">(</span><em class="sig-param"><span class="pre">speed_rpm</span></em>, <em class="sig-param"><span class="pre">*</span></em>, <em class="sig-param"><span class="pre">dry=False</span></em><span class="sig-paren">)</span><a class="reference internal" href="_modules/aqua.html"><span class="viewcode-link">[source]</span></a><a class="headerlink" href="#aqua.pump">¶</a></dt>
      <dd><p>Starts the pump.</p><dl class="field-list simple"><dt class="field-odd">Parameters<span class="colon">:</span></dt><dd class="field-odd"><p><strong>speed_rpm</strong> – Turns a minute.</p></dd></dl></dd></dl>
      <div class="admonition note"><p class="admonition-title">Note</p><p>It is loud.</p></div>
      <aside class="sidebar"><p class="sidebar-title">Aside</p><p>Belongs here.</p></aside>
      <div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span class="kn">import</span> aqua
</pre></div></div></section></div></div></div><div class="sphinxsidebar">SIDEWORD</div></div>`;
    const parsed = await read('html', `<html><head><title>aqua — Aqua 1.0 documentation</title></head><body>${body}</body></html>`);
    expect(parsed.text).toBe(
      '# aqua\n\n`aqua.pump(speed_rpm, *, dry=False)`\n\nStarts the pump.\n\n**Parameters:**\n\n**speed_rpm** – Turns a minute.\n\n**Note**\n\nIt is loud.\n\nAside\n\nBelongs here.\n\n```python\nimport aqua\n```',
    );
    expect(parsed.title).toBe('aqua');
    expect(placeOf(parsed, 'Starts the pump')?.anchor).toBe('aqua.pump');
  });

  it('by Sphinx with a custom theme loses nothing of a short text', async () => {
    const script = (name: string) => `<script src="_static/${name}.js"></script>`;
    const head = `<title>Deployment</title><script id="documentation_options" src="_static/documentation_options.js"></script>${['jquery', 'underscore', 'doctools'].map(script).join('')}`;
    const menu = Array.from({ length: 12 }, (_, i) => `<li><a href="${i}.html">A chapter of the manual, number ${i}</a></li>`).join('');
    const body = `<div id="left-column"><div class="sphinxsidebar"><ul>${menu}</ul></div></div><div id="right-column"><div class="document clearer body">
      <section id="deployment"><h1>Deployment<a class="headerlink" href="#deployment">¶</a></h1><p>This chapter details deployment strategies for the following scenarios.</p>
      <ul><li><a href="server.html">Central repository server</a></li><li><a href="pull.html">Backing up in pull mode</a></li></ul></section></div>
      <div class="footer-relations"><div class="pull-left"><a href="notes.html" title="previous chapter">PREVWORD</a></div><div class="pull-right"><a href="server.html">NEXTWORD</a></div></div></div>
      <div class="footer">&copy; The Borg Collective. Created using <a href="http://sphinx.pocoo.org/">FOOTERWORD</a>.</div>`;
    const { text, metadata } = await read('html', `<html><head>${head}</head><body>${body}</body></html>`);
    expect(text).toBe(
      '# Deployment\n\nThis chapter details deployment strategies for the following scenarios.\n\n- [Central repository server](server.html)\n- [Backing up in pull mode](pull.html)\n\n[PREVWORD](notes.html)\n\n[NEXTWORD](server.html)\n\n© The Borg Collective. Created using [FOOTERWORD](http://sphinx.pocoo.org/).',
    );
    expect(metadata.left_out).toBeGreaterThan(0.02);
  });

  it('by Sphinx with a theme without a main element keeps footnotes', async () => {
    const note = (id: string, text: string) =>
      `<aside class="footnote brackets" id="${id}" role="note"><span class="label">[${id}]</span><p>${text}</p></aside>`;
    const body = `<div class="document"><section id="start"><h1>Start</h1><p>Fill the tank to the line that is drawn on its side, and close the lid.<a href="#one">[one]</a></p>
      <p>Then press the button until the light turns green, which takes about a minute.</p>
      <aside class="footnote-list brackets">${note('one', 'Water from a well may need a filter.')}${note('two', 'Or a softener.')}</aside></section></div><aside><a href="b.html">SIDEWORD</a></aside>`;
    const { text } = await read('html', `<html><head><title>Start</title></head><body>${body}</body></html>`);
    expect(text).toContain('Water from a well may need a filter.');
    expect(text).toContain('Or a softener.');
    expect(text).not.toContain('SIDEWORD');
  });

  it('by Read the Docs and sphinx-design keeps the content of tabs and cards', async () => {
    const body = `<nav class="wy-nav-side">NAVWORD</nav><section class="wy-nav-content-wrap"><div class="rst-content"><div role="navigation" aria-label="Page navigation">CRUMBWORD</div><div role="main" class="document" itemscope><div itemprop="articleBody">
      <section id="run"><h1>Run it<a class="headerlink" href="#run">\uf0c1</a></h1><p>One way or the other, and both of them take about a minute on a machine that is not busy with something else.</p>
      <div class="sd-tab-set docutils"><input checked id="i0" type="radio"><label class="sd-tab-label" for="i0">Linux</label><div class="sd-tab-content docutils"><p>Call make.</p></div><input id="i1" type="radio"><label class="sd-tab-label" for="i1">Windows</label><div class="sd-tab-content docutils"><p>Call nmake.</p></div></div></section>
      </div></div><footer><div class="rst-footer-buttons">NEXTWORD</div></footer></div></section>`;
    expect((await page(body)).text).toBe(
      '# Run it\n\nOne way or the other, and both of them take about a minute on a machine that is not busy with something else.\n\n**Linux**\n\nCall make.\n\n**Windows**\n\nCall nmake.',
    );
  });

  it('by VitePress keeps code groups with their language and custom blocks', async () => {
    const body = `<div class="Layout"><header class="VPNav">NAVWORD</header><aside class="VPSidebar">SIDEWORD</aside><div class="VPContent"><div class="VPDoc"><main class="main"><div class="vp-doc _guide"><div><h1 id="start" tabindex="-1">Start <a class="header-anchor" href="#start" aria-label="Permalink to &quot;Start&quot;">​</a></h1>
      <div class="tip custom-block"><p class="custom-block-title">TIP</p><p>Mind the steam, which is hot enough to burn you when the valve is opened before the lamp is green.</p></div>
      <div class="vp-code-group"><div class="tabs"><input type="radio" name="g" id="g1" checked><label for="g1">npm</label><input type="radio" name="g" id="g2"><label for="g2">pnpm</label></div><div class="blocks"><div class="language-sh active"><button title="Copy Code" class="copy"></button><pre class="shiki"><code><span class="line"><span>npm add aqua</span></span>
<span class="line"></span>
<span class="line"><span>npx aqua</span></span></code></pre></div><div class="language-sh"><pre class="shiki"><code><span class="line"><span>pnpm add aqua</span></span></code></pre></div></div></div></div></div></main><footer class="VPDocFooter"><a class="edit-link-button">EDITWORD</a></footer></div></div></div>`;
    expect((await page(body, generator('VitePress v1.3.4'))).text).toBe(
      '# Start\n\n**TIP**\n\nMind the steam, which is hot enough to burn you when the valve is opened before the lamp is green.\n\n**npm**\n\n```sh\nnpm add aqua\n\nnpx aqua\n```\n\n**pnpm**\n\n```sh\npnpm add aqua\n```',
    );
  });

  it('by Mintlify keeps its title, callouts, steps, parameters and folded parts', async () => {
    const body = `<nav>NAVWORD</nav><div id="content-area"><header id="header"><h1 id="page-title">Webhooks</h1><div id="page-context-menu"><button>Copy page</button></div><div class="mt-2"><p>Get told what happens.</p></div></header>
      <div class="mdx-content prose" id="content"><div class="callout" data-callout-type="note"><p>Answer within ten seconds, or the call is made again up to five times with growing pauses.</p></div>
      <h2 id="events" class="flex"><div class="absolute"><a href="#events" aria-label="Navigate to header">​</a></div><span class="cursor-pointer">Events</span></h2>
      <div class="field"><code>id</code> <span>string</span> <span>required</span><p>The event.</p></div>
      <details><summary><p>Retries</p></summary><p>Five of them.</p></details>
      <div class="code-block"><div data-component-part="code-block-header">main.ts<button>COPYWORD</button></div><pre class="shiki" language="ts"><code language="ts"><span class="line">listen();</span></code></pre></div></div>
      </div><div id="pagination" role="navigation"><a href="/next">NEXTWORD</a></div>`;
    const { text } = await page(body, generator('Mintlify'));
    expect(text).toBe(
      '# Webhooks\n\nGet told what happens.\n\nAnswer within ten seconds, or the call is made again up to five times with growing pauses.\n\n## Events\n\n`id` string required\n\nThe event.\n\n**Retries**\n\nFive of them.\n\nmain.ts\n\n```ts\nlisten();\n```',
    );
  });

  it('by GitBook keeps its hints, tabs and code', async () => {
    const body = `<header>HEADWORD</header><aside>SIDEWORD</aside><main><header><h1>Tokens</h1><p>How to get one.</p></header><div class="whitespace-pre-wrap"><p>Ask for a token in the settings of your space, and keep it where nobody else can read it.</p>
      <div class="hint"><div>It is shown once.</div></div><div><div role="tablist"><button role="tab" id="a1" aria-controls="p1" aria-selected="true">cURL</button><button role="tab" id="a2" aria-controls="p2">Python</button></div><div role="tabpanel" id="p1"><pre><code><span class="highlight-line"><span>curl -H token</span></span></code></pre></div><div role="tabpanel" id="p2" class="hidden" hidden><p>Use requests.</p></div></div></div>
      <nav><a href="/next">NEXTWORD</a></nav></main><footer>Last updated</footer>`;
    expect((await page(body, generator('GitBook (abc123)'))).text).toBe(
      '# Tokens\n\nHow to get one.\n\nAsk for a token in the settings of your space, and keep it where nobody else can read it.\n\nIt is shown once.\n\n**cURL**\n\n```\ncurl -H token\n```\n\n**Python**\n\nUse requests.',
    );
  });

  it('by Javadoc keeps the summary of its methods as a table and their signatures as code', async () => {
    const body = `<div class="flex-box"><header role="banner"><nav role="navigation">NAVWORD</nav></header><div class="flex-content"><main role="main"><div class="header"><div class="sub-title"><span class="package-label-in-type">Package</span> <a href="package-summary.html">aqua</a></div><h1 title="Class Pump" class="title">Class Pump</h1></div>
      <section class="class-description" id="class-description"><div class="type-signature"><span class="modifiers">public class </span><span class="element-name">Pump</span></div><div class="block">Moves water from the tank to the head, and stops when the float says that there is none.</div></section>
      <section class="method-summary" id="method-summary"><h2>Method Summary</h2><div id="method-summary-table"><div class="table-tabs" role="tablist"><button id="t0" role="tab" aria-selected="true" aria-controls="panel">All Methods</button><button id="t1" role="tab" aria-controls="panel">Instance Methods</button></div><div id="panel" role="tabpanel"><table><tr><th>Method</th><th>Description</th></tr><tr><td><code>start(int)</code></td><td>Starts it.</td></tr></table></div></div></section>
      <section class="detail" id="start(int)"><h3>start</h3><div class="member-signature"><span class="modifiers">public</span>&nbsp;<span class="return-type">void</span>&nbsp;<span class="element-name">start</span><wbr><span class="parameters">(int&nbsp;rpm)</span></div><div class="block">Starts it.</div><dl class="notes"><dt>Parameters:</dt><dd><code>rpm</code> - turns a minute</dd></dl></section></main></div></div>`;
    const parsed = await read(
      'html',
      `<html><head><title>Pump</title>${generator('javadoc/ClassWriterImpl')}</head><body>${body}</body></html>`,
    );
    expect(parsed.text).toContain('# Class Pump\n\npublic class Pump\n\nMoves water from the tank');
    expect(parsed.text).toContain('## Method Summary\n\n| Method | Description |\n| --- | --- |\n| `start(int)` | Starts it. |');
    expect(parsed.text).toContain(
      '### start\n\n```\npublic\u00a0void\u00a0start(int\u00a0rpm)\n```\n\nStarts it.\n\n**Parameters:**\n\n`rpm` - turns a minute',
    );
    expect(parsed.text).not.toMatch(/All Methods|NAVWORD/);
    expect(placeOf(parsed, '### start')?.anchor).toBe('start(int)');
  });

  it('by MediaWiki keeps infobox, formulas, notes and edit links', async () => {
    const body = `<div id="mw-navigation">NAVWORD</div><main id="content"><h1 id="firstHeading">Kettle</h1><div id="siteSub">From a wiki</div><div class="mw-body-content"><div class="mw-content-ltr mw-parser-output"><table class="infobox"><caption>Kettle</caption><tbody><tr><th scope="row">Volume</th><td>1.7 l</td></tr><tr><th scope="row">Power</th><td>2 kW</td></tr></tbody></table>
      <p>A <b>kettle</b> boils <a href="/wiki/Water">water</a>.<sup class="reference"><a href="#cite_note-1">[1]</a></sup> Its power is <span class="mwe-math-element"><math alttext="{\\displaystyle P=UI}"><semantics><mi>P</mi><annotation encoding="application/x-tex">{\\displaystyle P=UI}</annotation></semantics></math><img src="p.svg" alt="{\\displaystyle P=UI}"></span> at all times.</p>
      <div id="toc" class="toc" role="navigation">TOCWORD</div><div class="mw-heading mw-heading2"><h2 id="History">History</h2><span class="mw-editsection">[<a href="/w/edit">edit</a>]</span></div><p>Old.</p><div role="navigation" class="navbox">BOXWORD</div></div></div></main>`;
    expect((await page(body)).text).toBe(
      '# Kettle\n\nFrom a wiki\n\nKettle\n\n| Volume | 1.7 l |\n| --- | --- |\n| Power | 2 kW |\n\nA **kettle** boils [water](/wiki/Water).[1] Its power is $P=UI$ at all times.\n\n## History\n\n[[edit](/w/edit)]\n\nOld.',
    );
  });

  it('by DocBook gets the titles of boxes above them, and keeps the text behind them in its section', async () => {
    const part = (box: string) => body(`<h2 id="alias">5. Aliases</h2><p>Before.</p>${box}<p>After.</p>`);
    const body = async (html: string) => (await read('html', `<html><body><h1>Mutt</h1>${html}</body></html>`)).text;
    const boxed = (title: string) => `# Mutt\n\n## 5. Aliases\n\nBefore.\n\n**${title}**\n\nMust be so.\n\nAfter.`;
    expect(await part('<div class="note"><h3 class="title">Note</h3><p>Must be so.</p></div>')).toBe(boxed('Note'));
    expect(await part('<div class="sidebar"><div class="titlepage"><div><h3><b>Why so</b></h3></div></div><p>Must be so.</p></div>')).toBe(
      boxed('Why so'),
    );
    expect(await part('<ul><li>One:<div class="tip"><h3 class="title">Tip</h3><p>Must be so.</p></div></li></ul>')).toBe(
      '# Mutt\n\n## 5. Aliases\n\nBefore.\n\n- One:\n\n  **Tip**\n\n  Must be so.\n\nAfter.',
    );
    for (const outline of [
      '<div class="note"><h3 id="a">A part</h3><p>Words.</p></div>',
      '<div class="note"><p>Words.</p><h3>A part</h3></div>',
      '<div class="tip"><h3>A part</h3><p>Words.</p><h3>Another</h3></div>',
    ])
      expect(await part(outline), outline).toContain('### A part');
  });

  it('by Asciidoctor gets the titles of boxes above them: words, icons or images', async () => {
    for (const icon of [
      '<div class="title">Caution</div>',
      '<i class="fa icon-caution" title="Caution"></i>',
      '<img src="c.png" alt="Caution">',
    ]) {
      const box = `<div class="admonitionblock caution"><table><tr><td class="icon">${icon}</td><td class="content"><div class="paragraph"><p>Be sure.</p></div></td></tr></table></div>`;
      const { text } = await read('html', `<html><body><h1>View</h1><p>Before.</p>${box}<p>After.</p></body></html>`);
      expect(text).toBe('# View\n\nBefore.\n\n**Caution**\n\nBe sure.\n\nAfter.');
    }
  });

  it('by rustdoc keeps items with their anchors, and loses signs of links and of buttons', async () => {
    const body = `<nav class="sidebar">SIDEWORD</nav><main><section id="main-content" class="content"><div class="main-heading"><h1>Struct <span class="struct">Pump</span><button id="copy-path">Copy item path</button></h1><span class="out-of-band"><a class="src" href="src.html">Source</a></span></div>
      <pre class="rust item-decl"><code>pub struct Pump;</code></pre><details class="toggle top-doc" open><summary class="hideme"><span>Expand description</span></summary><div class="docblock"><p>A pump that moves water from the tank to the head, and stops when there is none.</p></div></details>
      <h2 id="implementations">Implementations<a href="#implementations" class="anchor">§</a></h2><details class="toggle method-toggle" open><summary><section id="method.new" class="method"><span class="rightside"><span class="since">1.2.0</span> <a class="src" href="s">Source</a></span><h4 class="code-header">pub fn new() -&gt; Pump</h4></section></summary><div class="docblock"><p>Makes one.</p></div></details></section></main>`;
    const parsed = await read('html', `<html><head><title>Pump</title>${generator('rustdoc')}</head><body>${body}</body></html>`);
    expect(parsed.text).toBe(
      '# Struct Pump\n\n[Source](src.html)\n\n```\npub struct Pump;\n```\n\n**Expand description**\n\nA pump that moves water from the tank to the head, and stops when there is none.\n\n## Implementations\n\n1.2.0 [Source](s)\n\n#### pub fn new() -> Pump\n\nMakes one.',
    );
    expect(placeOf(parsed, 'Makes one')?.anchor).toBe('method.new');
  });
});
