/** Pods as the wrapper makes them, whose one repository lies behind the gateway. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GatewayFixture } from '../../edges/git/testing/fixture.ts'
import { run } from '../../standins/forge/testing/fixture.ts'
import { openWorkspace, type WorkspaceFixture } from '../../wrapper/testing/workspace.ts'
import type { Crossings } from '../../wrapper/workspace/outside/crossings.ts'
import { publishAll, push, pushAll, type Published, type PushOutcome } from '../../wrapper/workspace/outside/publish.ts'

export interface Pod extends WorkspaceFixture {
  write(name: string, text: string): void
  commit(name: string, text: string): Promise<void>
  /** The end of a turn. */
  publish(by?: Crossings): Promise<Published>
  /** A tool of the agent's wants it pushed. */
  pushNow(): Promise<Published>
  /** The push in the middle of a turn. */
  safetyPush(): Promise<PushOutcome>
}

/** Pods are not closed over the gateway's one branch: each brings its own. */
export async function podOn(gateway: GatewayFixture, branch: string, sha = ''): Promise<Pod> {
  const dir = mkdtempSync(join(gateway.dir, 'workspace-'))
  const url = gateway.url.replace('://', '://x-pod:pod-token@')
  const workspace = openWorkspace({ dir, url, branch })
  const { bare } = await workspace.boot({ sha })
  const write = (name: string, text: string): void => writeFileSync(join(workspace.clone, name), text)
  const asTask = <Answer>(pushing: () => Promise<Answer>): Promise<Answer> => {
    gateway.access = { repositories: ['library'], branches: { library: branch } }
    return pushing()
  }
  return {
    ...workspace,
    write,
    async commit(name, text) {
      write(name, text)
      await run(workspace.clone, ['add', '--', name])
      await run(workspace.clone, ['commit', '--quiet', '-m', 'Work'])
    },
    publish: (by = workspace) => asTask(() => publishAll(by, [bare], new Map(), 'turn')),
    pushNow: () => asTask(() => pushAll(workspace, [bare])),
    safetyPush: () => asTask(() => push(workspace, bare)),
  }
}
