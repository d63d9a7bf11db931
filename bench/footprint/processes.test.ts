import { expect, test } from 'vitest'
import { footprintIn, footprintsBelow } from './processes.ts'

const smaps = `00400000-00500000 r-xp 00000000 fe:00 12      /usr/bin/node
Size:               1024 kB
Pss:                 512 kB
Pss_Dirty:             0 kB
01000000-01800000 rw-p 00000000 00:00 0       [heap]
Pss:                2048 kB
7f0000000000-7f0010000000 rw-p 00000000 00:00 0 
Pss:              102400 kB
7f0010000000-7f0200000000 ---p 00000000 00:00 0 
Pss:                   0 kB
7f0300000000-7f0301000000 rw-p 00000000 00:00 0 
Pss:                1024 kB
`

test('what a process holds is the memory of WebAssembly before its reservation, pages of files, and the rest', () => {
  expect(footprintIn(smaps)).toEqual({ pss: 103.5, wasm: 100, code: 0.5, heap: 3 })
})

test('a process is found with its own size, and init is not below it', () => {
  const found = footprintsBelow(process.pid)
  const own = found.find(({ pid }) => pid === process.pid)
  expect(own?.pss).toBeGreaterThan(10)
  expect(found.map(({ pid }) => pid)).not.toContain(1)
})
