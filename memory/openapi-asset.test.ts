import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { openTestMemory } from './testing/service.ts'

const program = join(import.meta.dirname, '..', 'bin', 'memory-openapi.mjs')
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
  readonly version: string
}

test(
  'the asset of a release is the document that the memory service serves (DOCUMENTS-2)',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'memory-openapi-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'memory.openapi.json')
    await promisify(execFile)(process.execPath, [program, file])
    const written = JSON.parse(readFileSync(file, 'utf8')) as { readonly info: { readonly version: string } }
    const memory = await openTestMemory({ version })
    onTestFinished(() => memory.close())
    expect(written).toEqual(await (await memory.ask('GET', '/openapi.json')).json())
    expect(written.info.version).toBe(version)
  },
)

test('without a file it says how it is called', async () => {
  await expect(promisify(execFile)(process.execPath, [program])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('usage: node bin/memory-openapi.mjs FILE'),
  })
})
