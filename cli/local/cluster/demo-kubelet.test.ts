import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sourcePrograms } from './demo-kubelet.ts'

test('pods of a checkout whose packages are a link to those of another find these too', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'checkout-')))
  try {
    const [checkout, other] = [join(folder, 'own'), join(folder, 'other', 'node_modules')]
    for (const each of [checkout, other]) mkdirSync(each, { recursive: true })
    symlinkSync(other, join(checkout, 'node_modules'))
    expect(sourcePrograms(checkout)).toEqual([checkout, other])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
