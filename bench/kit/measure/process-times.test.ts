import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { machineSeconds, treeSeconds } from './process-times.ts'

const burn = `const until = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < until); console.log('burnt'); setInterval(() => {}, 1000)`

describe.runIf(process.platform === 'linux')('CPU time from /proc', () => {
  it('counts what the descendants of a process use, and the machine counts it too', async () => {
    const [ownBefore, machineBefore] = [treeSeconds([process.pid]), machineSeconds()]
    const child = spawn(process.execPath, ['-e', burn], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    const used = treeSeconds([child.pid!])
    const [own, machine] = [treeSeconds([process.pid]) - ownBefore, machineSeconds() - machineBefore]
    child.kill('SIGKILL')
    expect(used).toBeGreaterThanOrEqual(0.19)
    // Both are whole ticks of 10 ms; a difference of two sums is so but for its rounding.
    expect(own).toBeGreaterThan(used - 0.005)
    expect(machine).toBeGreaterThanOrEqual(0.15)
  })

  it('counts nothing for a process that is gone', async () => {
    const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
    await once(child, 'close')
    expect(treeSeconds([child.pid!])).toBe(0)
  })
})
