import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { root } from '../on-node-24.mjs'

const path = 'docs/gaps.md'

const intro = `# Gaps

The rows of the contract and of the rules that this version does not hold, each with what is known about it. \`npm run rows\`
keeps the list exact: it fails for a row that no test holds and that is not here, and for one that is here and held.`

const sorts = [
  ['wrong', 'The program does something else.'],
  ['missing', 'Nothing of it is built.'],
  ['untested', 'It may hold. No test would see it break.'],
]

/** What is not as the contract says, from the list that \`npm run rows\` judges. */
export const gaps = {
  name: 'bin/generators/gaps.mjs',
  files: [path],
  async run(outDir) {
    const { heldPages, readRows } = await import('../../testing/rows/pages.ts')
    const { isHeldElsewhere } = await import('../../testing/rows/held.ts')
    const listed = Object.entries(JSON.parse(await readFile(join(root, 'testing', 'rows', 'unheld.json'), 'utf8')))
    const unheld = listed.filter(([, { why }]) => !isHeldElsewhere(why))
    const rows = readRows(root, heldPages)
    const pageOf = new Map(rows.map(({ id, page }) => [id, page]))
    const text = [
      '<!-- Generated from testing/rows/unheld.json by bin/generators/gaps.mjs (npm run generate). Not edited by hand. -->',
      intro,
      '',
      ...table(unheld, rows.length),
      ...sorts.flatMap(([why, says]) => section(why, says, unheld, pageOf)),
    ].join('\n')
    await mkdir(dirname(join(outDir, path)), { recursive: true })
    await writeFile(join(outDir, path), text)
  },
}

function table(unheld, count) {
  const lines = sorts.map(
    ([why, says]) => `| ${why} | ${unheld.filter(([, one]) => one.why === why).length} | ${says} |`,
  )
  return ['| gap | rows | meaning |', '|---|---|---|', ...lines, `| all | ${unheld.length} of ${count} | |`, '']
}

function section(why, says, unheld, pageOf) {
  const own = unheld.filter(([, one]) => one.why === why)
  if (own.length === 0) return []
  const lines = own.map(([id, { note }]) => {
    const page = relative('docs', pageOf.get(id))
    return `| [${id}](${page}) | ${note.replaceAll('|', '\\|')} |`
  })
  return [
    `## ${why[0].toUpperCase()}${why.slice(1)}`,
    '',
    says,
    '',
    '| row | what is known |',
    '|---|---|',
    ...lines,
    '',
  ]
}
