import { askGit } from '../git/run.ts'
import type { Repository } from '../store/records.ts'

/** The command that is this commit's CI, or undefined: then no check is made and the head stays without one. */
export async function ciCommand(repository: Repository, sha: string): Promise<string | undefined> {
  if (!repository.ci.enabled) return undefined
  return repository.ci.command ?? ((await hasTestScript(repository.path, sha)) ? 'npm test' : undefined)
}

async function hasTestScript(path: string, sha: string): Promise<boolean> {
  const { code, stdout } = await askGit(path, ['cat-file', 'blob', `${sha}:package.json`], { answers: [128] })
  if (code !== 0) return false
  try {
    const manifest: unknown = JSON.parse(stdout.toString())
    const scripts = manifest && typeof manifest === 'object' && 'scripts' in manifest ? manifest.scripts : undefined
    return Boolean(scripts && typeof scripts === 'object' && 'test' in scripts && typeof scripts.test === 'string')
  } catch {
    return false
  }
}
