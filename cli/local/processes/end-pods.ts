import { podFolders } from '../../../edges/local/pod-folder.ts'
import { childrenOf, familyOf, isAlive, signal, type ProcessIdentity } from '../../../edges/local/processes.ts'

/** A wrapper commits and stops its agent within this; what it could not push stays in the workspace. */
const graceMs = 10_000
const lookMs = 100

/** Ends the pods of a machine whose orchestrator has stopped: gracefully, then for good. */
export async function endPods(podsDir: string): Promise<void> {
  const living = (): readonly { readonly process: ProcessIdentity; readonly isolated: boolean }[] =>
    podFolders(podsDir).flatMap(({ process, isolated }) =>
      process !== undefined && isAlive(process) ? [{ process, isolated }] : [],
    )
  for (const { process, isolated } of living()) {
    for (const leader of isolated ? childrenOf(process) : [process]) signal(leader, 'SIGTERM')
  }
  for (let waited = 0; waited < graceMs && living().length > 0; waited += lookMs)
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  for (const { process } of living()) for (const member of familyOf(process)) signal(member, 'SIGKILL')
}
