import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { readDocuments } from '../crd/documents.ts'
import { checkManifest } from '../crd/validate.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const example = join(root, 'deploy/gitops-example')

interface Checked {
  readonly code: number | null
  readonly text: string
}

/** @param change what somebody writes into one file. */
function checkPins(file?: string, change: (text: string) => string = (text) => text): Checked {
  const copy = mkdtempSync(join(tmpdir(), 'gitops-'))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  cpSync(example, copy, { recursive: true })
  if (file !== undefined) {
    const text = readFileSync(join(copy, file), 'utf8')
    expect(change(text)).not.toBe(text)
    writeFileSync(join(copy, file), change(text))
  }
  const program = [join(root, 'bin/statewright.mjs'), 'check-pins', copy]
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8' })
  return { code: status, text: `${stdout}${stderr}` }
}

test('every pin of the example is a release (PROJECT-AGENT-16)', () => {
  expect(checkPins()).toEqual({ code: 0, text: '3 pins in 3 files, 0 of them not to a release\n' })
})

test.each<[title: string, file: string, change: (text: string) => string, complaint: string]>([
  [
    'the tag of the wrapper taken out',
    'values.yaml',
    (text) => text.replace(/(statewright-wrapper\n) {2}tag: .*\n/, '$1'),
    'values.yaml:6: image: no tag is not a release tag',
  ],
  [
    'the skills taken out',
    'projects/demo/project.yaml',
    (text) => text.replace(/^ *skillsRef: .*\n/m, ''),
    'the Project names no skillsRef',
  ],
  [
    'a branch of an image',
    'projects/demo/project.yaml',
    (text) => text.replace('statewright-wrapper:v0.1.0', 'statewright-wrapper:main'),
    '`main` is not a release tag',
  ],
])('%s is refused', (_title, file, change, complaint) => {
  expect(checkPins(file, change)).toEqual({ code: 1, text: expect.stringContaining(complaint) })
})

test('its resources are ones that the orchestrator takes', () => {
  const documents = globSync('projects/**/*.yaml', { cwd: example }).flatMap((file) =>
    readDocuments(readFileSync(join(example, file), 'utf8')),
  )
  expect(documents.map((document) => (document as { kind: string }).kind).toSorted()).toEqual(['Project', 'Repository'])
  for (const document of documents)
    expect(checkManifest(document)).toMatchObject({ sort: 'resource', faults: [], warnings: [] })
})
