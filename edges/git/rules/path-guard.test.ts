import { expect, test } from 'vitest'
import { checkManifest } from '../../../crd/validate.ts'
import { pathGuard } from './path-guard.ts'
import { protectedPaths } from './protected-paths.ts'

const guard = pathGuard()

test('every entry has a reason, and protects its own name, in any folder unless it is bound to the root', () => {
  for (const { pattern, reason } of protectedPaths) {
    const name = pattern.replaceAll('*', 'a').replace(/^\//, '')
    expect(reason.length, pattern).toBeGreaterThan(10)
    expect([pattern, guard(name)]).toEqual([pattern, expect.any(String)])
    expect([pattern, guard(`${name}/below/it`)]).toEqual([pattern, expect.any(String)])
    if (!pattern.startsWith('/')) expect([pattern, guard(`a/b/${name}`)]).toEqual([pattern, expect.any(String)])
  }
})

test.each([
  '.gitmodules',
  'CLAUDE.md',
  'docs/CLAUDE.md',
  'CLAUDE.local.md',
  'AGENTS.md',
  'packages/a/AGENTS.md',
  '.claude/settings.json',
  '.claude/skills/deploy/SKILL.md',
  '.mcp.json',
  '.npmrc',
  'packages/a/.npmrc',
  '.yarnrc.yml',
  '.yarn/releases/yarn-4.cjs',
  '.pnpmfile.cjs',
  '.envrc',
  '.tool-versions',
  'mise.toml',
  'mise.local.toml',
  '.vscode/tasks.json',
  'x.code-workspace',
  '.devcontainer/devcontainer.json',
  '.idea/workspace.xml',
  '.cursor/rules/x.mdc',
  '.cursorrules',
  'GEMINI.md',
  '.travis.yml',
  '.drone.yml',
  '.woodpecker.yml',
  '.woodpecker/test.yaml',
  'bitbucket-pipelines.yml',
  '.buildkite/pipeline.yml',
  '.tekton/push.yaml',
  '.forgejo/workflows/ci.yaml',
  '.gitea/workflows/ci.yaml',
  '.gitlab-ci.yml',
  'ci/Docker.gitlab-ci.yml',
  '.gitlab/ci/test.yml',
  '.github/workflows/ci.yml',
  '.github/copilot-instructions.md',
  '.github/dependabot.yml',
  '.circleci/config.yml',
  'azure-pipelines.yml',
  'azure-pipelines-nightly.yaml',
  'deploy/Jenkinsfile.prod',
  '.husky/pre-commit',
  '.githooks/pre-push',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  'lefthook-local.yml',
  'docs/CODEOWNERS',
  'renovate.json',
  'renovate.json5',
  '.renovaterc.json',
  '.lfsconfig',
  'pnpm-workspace.yaml',
  'uv.toml',
  'poetry.toml',
  'pdm.toml',
  '.condarc',
  'atlantis.yaml',
  '.spacelift/config.yml',
  'digger.yml',
  '.dagger/main.go',
  'railway.json',
  'railway.toml',
  'app.json',
  'wrangler.toml',
  'wrangler.jsonc',
  '.do/app.yaml',
  'vercel.ts',
  'fly.toml',
  'fly.staging.toml',
  'firebase.json',
  'QWEN.md',
  'CRUSH.md',
  'WARP.md',
  '.rules',
  '.kilocode/rules/a.md',
  '.trae/rules/a.md',
  '.replit',
  '.idx/dev.nix',
  '.codesandbox/tasks.json',
  '.stackblitzrc',
  '.Rprofile',
  'devbox.json',
  '.huskyrc.js',
  '.coderabbit.yaml',
  '.pr_agent.toml',
  'release-please-config.json',
])('%s is protected', (path) => {
  expect(guard(path)).toEqual(expect.any(String))
})

test.each([
  ['in another case', '.GitHub/Workflows/x.yml'],
  ['in another case, in a deep folder', 'a/b/Claude.MD'],
  ['with characters that HFS+ ignores', '.cl\u200caude/settings.json'],
  ['with a mark of order before it', '\ufeff.mcp.json'],
  ['with the Kelvin sign', '.hus\u212ay/pre-commit'],
  ['with a long s', 'agent\u017f.md'],
  ['in full width', '\uff23\uff2c\uff21\uff35\uff24\uff25.md'],
  ['with a dot at the end, which NTFS drops', 'CLAUDE.md.'],
  ['with spaces and dots at the end', '.mcp.json. . '],
  ['as a stream of NTFS', '.mcp.json::$DATA'],
  ['as a stream of a folder', '.github::$INDEX_ALLOCATION/workflows/x.yml'],
  ['by the separator of Windows', '.github\\workflows\\x.yml'],
  ['by a short name', 'GITHUB~1/workflows/x.yml'],
  ['by a short name with an extension', 'MCP~1.JSO'],
  ['by a hashed short name', 'GI7EBA~1.YML'],
  ["as git's own folder", '.GIT/hooks/post-checkout'],
  ["as git's own short name", 'git~1/config'],
])('a protected path %s is protected', (_what, path) => {
  expect(guard(path)).toEqual(expect.any(String))
})

test.each([
  'src/github/workflows.ts',
  'src/claude.ts',
  'docs/agents.md.txt',
  'claude/notes.md',
  'src/codeowners.ts',
  'docs/jenkins.md',
  '.gitattributes',
  '.gitignore',
  '.editorconfig',
  '.nvmrc',
  'package.json',
  'src/npmrc.ts',
  'charts/render.yaml',
  'a~b.txt',
  'backup~',
  '.githubx/y',
  'mobile/app.json',
  'src/vercel/a.ts',
  'public/vercel.svg',
  'docs/railway.md',
])('%s is not', (path) => {
  expect(guard(path)).toBeUndefined()
})

test('a name that no file system takes is judged as it stands', () => {
  expect(guard(`${'. '.repeat(500_000)}x`)).toBeUndefined()
  expect(guard(`${'a/'.repeat(20_000)}x`)).toBeUndefined()
})

test('the Project adds names for any folder, and with a leading slash for the root alone', () => {
  const own = pathGuard(['/deploy', 'migrations/*.sql', '*.tf', 'scripts/*/release', 'infra/'])
  const said = (path: string): boolean => own(path) === 'the Project protects it'
  for (const path of [
    'deploy/prod.sh',
    'Deploy/prod.sh',
    'db/migrations/1.sql',
    'a/main.tf',
    'scripts/a/release/x',
    'x/infra/y',
  ])
    expect([path, said(path)]).toEqual([path, true])
  for (const path of ['src/deploy/x', 'migrations/a/1.sql', 'main.tfx', 'scripts/release', 'scripts/a/b/release'])
    expect([path, said(path)]).toEqual([path, false])
  expect(own('.github/x')).toContain('CI')
})

test.each([
  [['/deploy/', 'a/*/b', '.*rc', '*.yml', '.github'], true],
  [['deploy/**'], false],
  [['../x'], false],
  [['./x'], false],
  [['a//b'], false],
  [[''], false],
  [['/'], false],
  [['a\\b'], false],
  [['a\nb'], false],
  [['x'.repeat(201)], false],
  [Array.from({ length: 65 }, (_, n) => `f${n}`), false],
])('a manifest with protectedPaths %j is taken: %s', (protectedPaths, taken) => {
  const scm = { provider: 'forge_a', owner: 'acme', botLogin: 'bot', protectedPaths }
  const { faults } = checkManifest({
    apiVersion: 'platform.dev/v1alpha1',
    kind: 'Project',
    metadata: { name: 'demo' },
    spec: { scmSecretRef: 's', scm },
  })
  expect(faults.length === 0).toBe(taken)
})
