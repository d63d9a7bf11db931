import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const path = 'docs/settings.md'

const intro = `# Settings

The orchestrator reads its settings from the environment when it starts. It lists every bad value at once and does not start.
Each setting also has a flag of \`statewright orchestrator\`, in lower case with dashes: \`--cron-time-zone\` for \`CRON_TIME_ZONE\`.
A flag goes before the variable.

A secret may stand in a file: \`DATABASE_URL_FILE\` names the file of \`DATABASE_URL\`. Only that file has a flag,
\`--database-url-file\`, because other users see the command lines of a machine.`

const parts = [
  ['operator', '## Settings of the operator', '`statewright up` passes these on from its own environment.'],
  [
    'up',
    '## Settings of an installation',
    'On one machine `statewright up` sets these itself and ignores its environment, except for `DATABASE_URL`. Set them where you run `statewright orchestrator`.',
  ],
]

/** What an operator may set, from the schema that reads it. */
export const settings = {
  name: 'bin/generators/settings.mjs',
  files: [path],
  async run(outDir) {
    const { settingSchemas } = await import('../../orchestrator/settings/settings-schema.ts')
    const text = [
      '<!-- Generated from orchestrator/settings/settings-schema.ts by bin/generators/settings.mjs (npm run generate). Not edited by hand. -->',
      intro,
      ...parts.flatMap(([of, title, lead]) => ['', title, '', lead, '', ...table(settingSchemas, of)]),
      '',
    ].join('\n')
    await mkdir(dirname(join(outDir, path)), { recursive: true })
    await writeFile(join(outDir, path), text)
  },
}

function table(all, of) {
  const rows = all
    .filter(([, schema]) => schema.of === of)
    .map(([name, schema]) => [`\`${name}\``, valueOf(schema), defaultOf(schema), schema.description])
  return [['setting', 'value', 'default', 'meaning'], ['---', '---', '---', '---'], ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  )
}

const readings = {
  url: 'URL',
  issuer: 'URL',
  required: 'text',
  address: 'host:port',
  secret: 'secret',
  timeZone: 'time zone',
  library: 'text',
}

function valueOf({ reads, anyOf, items, type, minimum, maximum }) {
  if (reads === 'list') return `list of ${wordsOf(items.anyOf)}`
  if (reads !== undefined) return readings[reads]
  if (anyOf) return wordsOf(anyOf)
  if (type !== 'integer') return type === 'string' ? 'text' : 'JSON'
  return maximum === undefined ? `integer, at least ${minimum}` : `integer, ${minimum} to ${maximum}`
}

function wordsOf(options) {
  return options.map((option) => `\`${option.const}\``).join(', ')
}

function defaultOf({ default: fallback, defaultText, reads }) {
  if (defaultText !== undefined) return defaultText
  if (fallback === undefined) return 'none: it is required'
  if (reads === 'list') return `\`${fallback.join(',')}\``
  const text = typeof fallback === 'object' ? JSON.stringify(fallback) : String(fallback)
  return text === '' ? '' : `\`${text}\``
}
