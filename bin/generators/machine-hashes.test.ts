import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const { hashOf } = (await import(new URL('./machine-hashes.mjs', import.meta.url).href)) as {
  hashOf(kind: string, base?: string): Promise<string>
}

describe('the hash of a machine of ours', () => {
  let copy: string
  beforeEach(async () => {
    copy = await mkdtemp(join(tmpdir(), 'hashes-'))
    await cp('machines', join(copy, 'machines'), { recursive: true })
  })
  afterEach(() => rm(copy, { recursive: true }))

  it('is the same wherever the sources lie, whatever is said about them', async () => {
    const before = await hashOf('task')
    expect(await hashOf('task', copy)).toBe(before)
    await appendFile(join(copy, 'machines/rules/significance.ts'), '\n// Said of it.\nexport type Unused = string\n')
    expect(await hashOf('task', copy)).toBe(before)
  })

  it('stays when a form of the wire has one member more, for a pod and a turn too', async () => {
    await appendFile(join(copy, 'machines/turn/schema.ts'), '\nexport const More = Type.Object({ more: TurnResult })\n')
    for (const kind of ['pod', 'turn']) expect(await hashOf(kind, copy)).toBe(await hashOf(kind))
  })

  it('is another when a rule that it imports decides otherwise, and stays for machines that do not ask the rule', async () => {
    const rule = join(copy, 'machines/rules/significance.ts')
    const text = await readFile(rule, 'utf8')
    const other = text.replace("['patch', 'minor', 'major']", "['minor', 'patch', 'major']")
    expect(other).not.toBe(text)
    await writeFile(rule, other)
    expect(await hashOf('task', copy)).not.toBe(await hashOf('task'))
    expect(await hashOf('turn', copy)).toBe(await hashOf('turn'))
  })
})
