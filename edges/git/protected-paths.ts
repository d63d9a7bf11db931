/**
 * Files that something executes or obeys without a human having looked: CI definitions, code owners, agent settings,
 * hooks (rulings 4.4). Forges and agents find some of them in any folder; file systems may ignore case.
 */
const folders: ReadonlySet<string> = new Set(['.github', '.gitlab', '.claude', '.husky', '.githooks', '.circleci'])
const files: ReadonlySet<string> = new Set([
  '.gitlab-ci.yml',
  'codeowners',
  '.mcp.json',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  '.lefthook.yml',
  'azure-pipelines.yml',
  'jenkinsfile',
  '.gitmodules',
])

export function isProtected(path: string): boolean {
  const parts = path.toLowerCase().split('/')
  return parts.some((part, index) =>
    index === parts.length - 1 ? files.has(part) || folders.has(part) : folders.has(part),
  )
}
