import { describe, expect, it } from 'vitest';
import { read } from '../support/read.ts';

const textOf = async (body: string, generator = ''): Promise<string> =>
  (await read('html', `<html><head><title>Pump</title><meta name="generator" content="${generator}"></head><body>${body}</body></html>`))
    .text;

describe('an API reference', () => {
  it('by Doxygen gets its title, signatures as code, and code without line numbers', async () => {
    const text = await textOf(
      `<nav>NAVWORD</nav><div class="header"><div class="summary"><a href="#f">Functions</a></div><div class="headertitle"><div class="title">pump_t Struct Reference</div></div></div>
      <div class="contents"><p>State of one pump, which lives until it is freed by the program that made it. <a href="p.html#details">More...</a></p>
      <table class="memberdecls"><tr class="heading"><td colspan="2"><h2 class="groupheader">Functions</h2></td></tr>
      <tr class="memitem:a"><td class="memItemLeft">int&#160;</td><td class="memItemRight"><a href="#a">pump_start</a> (<a href="p.html">pump_t</a> *pump, int speed)</td></tr>
      <tr class="memdesc:a"><td class="mdescLeft">&#160;</td><td class="mdescRight">Starts it. <a href="#a">More...</a></td></tr><tr><td class="memSeparator">&#160;</td></tr></table>
      <h2 class="groupheader">Function Documentation</h2><h2 class="memtitle"><span class="permalink"><a href="#a">&#9670;</a></span>pump_start()</h2>
      <div class="memproto"><table class="memname"><tr><td class="memname">int pump_start</td><td>(</td><td>pump_t *</td><td><em>pump</em>, </td></tr><tr><td></td><td></td><td>int</td><td><em>speed</em></td></tr><tr><td></td><td>)</td></tr></table></div>
      <div class="fragment"><div class="line"><span class="lineno">    1</span>pump_start(p, 900);</div><div class="line"><span class="lineno">    2</span>wait();</div></div></div>`,
      'Doxygen 1.9.8',
    );
    expect(text).toContain('# pump_t Struct Reference\n\nState of one pump');
    expect(text).toContain('## Functions\n\n```\nint pump_start(pump_t *pump, int speed)\n```\n\nStarts it.');
    expect(text).toContain(
      '### pump_start()\n\n```\nint pump_start(pump_t *pump, int speed)\n```\n\n```\npump_start(p, 900);\nwait();\n```',
    );
    expect(text).not.toMatch(/More\.\.\.|NAVWORD/);
  });

  it('by Javadoc gets headings outside of lists, and a table of members', async () => {
    const cells = (...texts: string[]) => texts.map((text, i) => `<div class="col-${['first', 'last'][i]}">${text}</div>`).join('');
    const text = await textOf(
      `<main><h1>Class Pump</h1><p>Moves water from the tank to the head, and stops when the float says that there is none left of it.</p><ul class="summary-list"><li><section><h2>Method Summary</h2><div class="summary-table two-column-summary"><div class="table-header col-first">Method</div><div class="table-header col-last">Description</div>${cells('<code>start()</code>', 'Starts it.')}${cells('<code>stop()</code>', '')}</div></section></li></ul>
      <ul class="details-list"><li><section><h2>Method Details</h2><ul><li><section><h3>start</h3><p>Starts it.</p></section></li></ul></section></li></ul></main>`,
      'javadoc/ClassWriterImpl',
    );
    expect(text).toContain('\n\n## Method Summary\n\n| Method | Description |\n| --- | --- |\n| `start()` | Starts it. |\n| `stop()` |');
    expect(text).toContain('\n\n## Method Details\n\n### start\n\nStarts it.');
  });

  it('by TypeDoc gets signatures above their descriptions', async () => {
    const text = await textOf(
      `<div class="col-content"><h1>Function createPump</h1><ul class="tsd-signatures"><li class="tsd-signature"><span>create<wbr>Pump</span>(options?: <a href="o.html">Options</a>): Pump</li><li class="tsd-description"><p>Creates a pump.</p><h4>Parameters</h4><ul><li><code class="tsd-tag">Optional</code>options</li></ul></li></ul></div>`,
      'TypeDoc',
    );
    expect(text).toBe(
      '# Function createPump\n\n```\ncreatePump(options?: Options): Pump\n```\n\nCreates a pump.\n\n#### Parameters\n\n- `Optional` options',
    );
  });

  it('by mandoc and groff gets synopsis and options as lines, not as tables', async () => {
    const row = (flag: string, said: string) => `<tr><td width="11%"></td><td><b>${flag}</b></td><td></td><td><p>${said}</p></td></tr>`;
    const text = await textOf(
      `<table class="head"><tr><td class="head-ltitle">PUMPCTL(1)</td><td>Manual</td></tr></table><h1>SYNOPSIS</h1><table class="Nm"><tr><td><code>pumpctl</code></td><td>[<code>-v</code>] pump</td></tr></table><h1>OPTIONS</h1><table>${row('-v', 'Say more.')}${row('-q', 'Say less.')}</table><table class="foot"><tr><td class="foot-date">March</td><td>Debian</td></tr></table>`,
    );
    expect(text).toBe('# SYNOPSIS\n\n`pumpctl` [`-v`] pump\n\n# OPTIONS\n\n| -v | Say more. |\n| --- | --- |\n| **-q** | Say less. |');
  });
});

it('numbers headings that are list items', async () => {
  expect(await textOf('<h1>Setup</h1><ol><li><h3>Install</h3><p>Run it.</p></li><li><h3>Start</h3><p>Go.</p></li></ol>')).toBe(
    '# Setup\n\n### 1. Install\n\nRun it.\n\n### 2. Start\n\nGo.',
  );
});
