/** Ends what outlives an orchestrator of this machine, once that has stopped: gracefully, then for good. */
import { runningMemories } from '../../../edges/local/memory/folder.ts'
import { podFolders } from '../../../edges/local/pod-folder.ts'
import { childrenOf, familyOf, isAlive, signal, type ProcessIdentity } from '../../../edges/local/processes.ts'

/** A wrapper commits and stops its agent within this; what it could not push stays in the workspace. */
const podGraceMs = 10_000
/** A memory service gives its connections 25 seconds, and its work ten. */
const memoryGraceMs = 45_000
const lookMs = 100

export async function endPods(podsDir: string): Promise<void> {
  const living = podFolders(podsDir).flatMap(({ process, isolated }) =>
    process !== undefined && isAlive(process) ? [{ process, isolated }] : [],
  )
  for (const { process, isolated } of living)
    for (const leader of isolated ? childrenOf(process) : [process]) signal(leader, 'SIGTERM')
  await endAll(
    living.map(({ process }) => process),
    podGraceMs,
  )
}

export async function endMemories(root: string): Promise<void> {
  const living = runningMemories(root)
  for (const { folder, record, process } of living) {
    signal(process, 'SIGTERM')
    folder.write({ ...record, stoppingAt: Date.now() })
  }
  await endAll(
    living.map(({ process }) => process),
    memoryGraceMs,
  )
}

async function endAll(processes: readonly ProcessIdentity[], graceMs: number): Promise<void> {
  for (let waited = 0; waited < graceMs && processes.some(isAlive); waited += lookMs)
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  for (const process of processes) for (const member of familyOf(process)) signal(member, 'SIGKILL')
}
