import { expect, test } from 'vitest'
import { readableOf } from './readable.ts'

const sentences = (content: string, file = 'README.md'): readonly string[] => readableOf(content, { file }).sentences
const signatures = (content: string, file: string): readonly string[] => readableOf(content, { file }).signatures

test('items of a list read as sentences, without their numbers and marks', () => {
  const passage = `To install Gin package, you need to install Go first.

1. You first need [Go](https://golang.org/) installed (**version 1.13+ is required**).
2. Import it in your code:

- [x] Zero allocation router for every request
* [NEW] Add support for Let's Encrypt via gin-gonic/autotls`
  expect(sentences(passage)).toEqual([
    'To install Gin package, you need to install Go first.',
    'You first need Go installed (version 1.13+ is required).',
    'Zero allocation router for every request.',
    "Add support for Let's Encrypt via gin-gonic/autotls.",
  ])
})

test('no line of fenced code is a sentence, wherever the passage was cut', () => {
  const code =
    'r.GET("/test", func(c *gin.Context) {\n  // Disable the colour of the console when writing to a file.\n})'
  const before = 'This starts the server on the port.'
  const after = 'This stops the server once it is idle.'
  for (const mark of ['```', '~~~']) {
    expect(sentences(`${before}\n\n${mark}go\n${code}\n${mark}\n\n${after}`)).toEqual([before, after])
    expect(sentences(`${code}\n${mark}\n\n${after}`)).toEqual([after])
    expect(sentences(`${code}\n${mark}\n\n${after}\n\n${mark}go\n${code}`)).toEqual([after])
  }
  expect(sentences(`${before}\n\n\`\`\`go\n${code}`)).toEqual([before])
})

test('headings, rules and tables are no sentences', () => {
  const passage = `# Serving more than one file at a time

Commands and groups of the whole program
========================================

| Benchmark name of the router | (1) | (2) |
| ---------------------------- | --- | --- |
| BenchmarkGin_GithubAll is fast | 43550 | 27364 ns/op |

=====  ================
Name   What it does here
=====  ================

The router keeps a tree of the paths.
-------------------------------------

A handler is called with its context.`
  expect(sentences(passage)).toEqual(['A handler is called with its context.'])
})

test('directives, roles and targets of reStructuredText leave their words alone', () => {
  const passage = `.. currentmodule:: click

For subcommand testing, use the \`\`args\`\` parameter of :meth:\`CliRunner.invoke\`. :issue:\`1649\`, :pr:\`1650\`

.. code-block:: python

    @click.command()
    @click.option('--count', default=1)
    def hello(count): click.echo('Hello World!')

.. note::

   The value is read from the file at once.

.. literalinclude:: example.py
   :caption: This is the caption of the example.

Test it with this function::

   from click.testing import CliRunner
   from sync import cli

It works like \`Sphinx <https://www.sphinx-doc.org>\`_ and \`pre-commit\`_ do.

.. _colorama: https://pypi.org/project/colorama/`
  expect(sentences(passage, 'docs/testing.rst')).toEqual([
    'For subcommand testing, use the `args` parameter of `CliRunner.invoke`.',
    'The value is read from the file at once.',
    'It works like Sphinx and pre-commit do.',
  ])
})

test('links, pictures, elements and hidden comments leave only what one reads', () => {
  const passage = `<!-- Replace this comment with a description. It is for the author. -->
![Build status of the branch](https://ci.example.org/badge.svg)

> [!NOTE]
> Read [the guide](docs/guide.md), _then_ run <b>every</b> test with \`npm test\`.

<a href="https://example.org" target="_blank"><img src="https://example.org/a.png"></a>`
  expect(sentences(passage)).toEqual(['Read the guide, then run every test with `npm test`.'])
})

test('a piece of a sentence is none, and code between words is no word', () => {
  expect(sentences('For this again you have two options:\n\n(see the page)\n\nonly a piece')).toEqual([])
  expect(sentences('id := c.Query("id") page := c.DefaultQuery("page", "0").')).toEqual([])
  expect(sentences('- [Bind the query string or posted data](#bind-query-string)')).toEqual([])
  expect(sentences('$ express /tmp/foo && cd /tmp/foo and so on')).toEqual([])
  expect(sentences('Pass it e.g. The default is used when `port = 80` is not given.')).toHaveLength(1)
})

test('marks of comments, tags of parameters and licences are not in what comments say', () => {
  const python = `# Copyright 2014 The Pallets Projects. All rights reserved.
#: If set, this is used by the group's decorator as the default. This is useful to make all
#: subcommands use a custom command class.
#:
#: .. versionadded:: 8.0
command_class: t.Optional[t.Type[Command]] = None`
  expect(sentences(python, 'src/core.py')).toEqual([
    "If set, this is used by the group's decorator as the default.",
    'This is useful to make all subcommands use a custom command class.',
  ])
  const script = `/**
 * Check if \`setting\` is enabled (truthy).
 *
 *    app.enable('foo')
 *    app.enabled('foo') // => true
 *
 * @param {String} setting that is to be looked up
 * @return {Boolean} whether the setting is there
 */
app.enabled = function enabled(setting) {}
// app.disable(setting); if (setting) return true;`
  expect(sentences(script, 'lib/application.js')).toEqual(['Check if `setting` is enabled (truthy).'])
})

test('a docstring keeps its paragraphs and loses its fields and examples', () => {
  const python = `def echo(message, file=None):
    """Print a message and newline to stdout or a file.

    Compared to print, this handles mixed text and bytes.

    :param message: The string or bytes to output.
    :param file: The file to write to. Defaults to stdout of the process.

        >>> echo("Hello World, this is written here.")
    """`
  expect(sentences(python, 'src/utils.py')).toEqual([
    'Print a message and newline to stdout or a file.',
    'Compared to print, this handles mixed text and bytes.',
  ])
})

test('a signature is whole or not there, and none is read out of a comment', () => {
  const script = `/** The kind of a
 * class that nobody declares
 */
import {
  type Field,
} from './field.ts'
export async function perform(
  input: Input,
  { retries }: Options,
): Promise<void> {
  go(input)
}
type Handlers = {
  open(): void
}
app.use(
  function (request, answer) {})
function cut(
  one: string,`
  expect(signatures(script, 'src/perform.ts')).toEqual([
    'export async function perform(input: Input, { retries }: Options): Promise<void>',
    'type Handlers',
  ])
  const go = 'type Object map[string]interface{}\n\nfunc (c *Context) Value(key string) interface{} {'
  expect(signatures(go, 'context.go')).toEqual([
    'type Object map[string]interface{}',
    'func (c *Context) Value(key string) interface{}',
  ])
})
