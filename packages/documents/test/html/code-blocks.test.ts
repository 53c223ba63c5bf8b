import { describe, expect, it } from 'vitest';
import { read } from '../support/read.ts';

const markdown = async (html: string): Promise<string> => (await read('html', `<html><body><main>${html}</main></body></html>`)).text;
const fenced = (language: string): string => `\`\`\`${language}\nx = 1\n\`\`\``;

describe('code in HTML', () => {
  it.each([
    ['Prism', '<pre class="language-ruby"><code class="language-ruby">x = 1</code></pre>', 'ruby'],
    ['highlight.js', '<pre><code class="hljs language-ruby">x = 1</code></pre>', 'ruby'],
    ['highlight.js before version 11', '<pre><code class="hljs ruby">x = 1</code></pre>', 'ruby'],
    ['Sphinx', '<div class="highlight-python3 notranslate"><div class="highlight"><pre><span></span>x = 1\n</pre></div></div>', 'python'],
    ['Sphinx without a language', '<div class="highlight-default notranslate"><div class="highlight"><pre>x = 1\n</pre></div></div>', ''],
    [
      'Rouge',
      '<div class="language-ruby highlighter-rouge"><div class="highlight"><pre class="highlight"><code>x = 1\n</code></pre></div></div>',
      'ruby',
    ],
    [
      'Shiki',
      '<pre class="astro-code" data-language="ts" tabindex="0"><code><span class="line"><span>x = 1</span></span></code></pre>',
      'ts',
    ],
    ['Hugo', '<pre><code class="language-go" data-lang="go">x = 1</code></pre>', 'go'],
    ['GitHub', '<div class="highlight highlight-source-js"><pre>x = 1</pre></div>', 'js'],
    ['MediaWiki', '<div class="mw-highlight mw-highlight-lang-lua" dir="ltr"><pre>x = 1</pre></div>', 'lua'],
    [
      'Pandoc',
      '<div class="sourceCode"><pre class="sourceCode haskell"><code class="sourceCode haskell">x = 1</code></pre></div>',
      'haskell',
    ],
    ['SyntaxHighlighter', '<pre class="brush: java; gutter: false">x = 1</pre>', 'java'],
    ['nothing', '<pre>x = 1</pre>', ''],
    ['a page that names the language of its text', '<section class="lang-en"><pre>x = 1</pre></section>', ''],
  ])('gets its language from the markup of %s', async (_name, html, language) => {
    expect(await markdown(html)).toBe(fenced(language));
  });

  it('keeps lines that are elements, including empty ones', async () => {
    const lines = '<div class="line">one</div><div class="line"></div><div class="line">  two</div>';
    expect(await markdown(`<pre><code>${lines}</code></pre>`)).toBe('```\none\n\n  two\n```');
    const wrapped = (line: string) => `<span class="highlight-line"><span class="highlight-line-content">${line}</span></span>`;
    expect(await markdown(`<pre><code>${wrapped('one')}${wrapped('two')}</code></pre>`)).toBe('```\none\ntwo\n```');
    expect(await markdown('<pre><code>one<br>two</code></pre>')).toBe('```\none\ntwo\n```');
  });

  it('loses line numbers of any highlighter', async () => {
    const rouge =
      '<pre><code><table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n</pre></td><td class="rouge-code"><pre>one\ntwo\n</pre></td></tr></tbody></table></code></pre>';
    expect(await markdown(rouge)).toBe('```\none\ntwo\n```');
    expect(await markdown('<pre><span class="ln">1</span>one 1\n<span class="ln">2</span>two 2</pre>')).toBe('```\none 1\ntwo 2\n```');
  });
});
