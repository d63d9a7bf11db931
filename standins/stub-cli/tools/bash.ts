import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../shell.ts'
import { schemaOf, type Tool } from './tool.ts'

const defaultTimeoutMs = 120_000

export function bashTool(cwd: string): Tool {
  return {
    name: 'Bash',
    description: 'Runs a shell command.',
    inputSchema: schemaOf({ command: 'string', timeout: 'number', description: 'string' }, ['command']),
    async run(input, signal) {
      const timeoutMs = typeof input['timeout'] === 'number' ? input['timeout'] : defaultTimeoutMs
      const shell = process.env['CLAUDE_CODE_SHELL'] || '/bin/bash'
      const line = commandLine(String(input['command'] ?? ''))
      const { code, stdout, stderr } = await run(line, { cwd, timeoutMs, signal, shell })
      const output = [stdout.trimEnd(), stderr.trimEnd()].filter((text) => text !== '').join('\n')
      return code === 0
        ? { text: output, error: false }
        : { text: `Exit code ${code}\n${output}`.trimEnd(), error: true }
    },
  }
}

/** As the CLI has it (2.1.329): the shell's snapshot first, the folder that the command ended in last. */
function commandLine(command: string): string {
  const snapshots = join(process.env['HOME'] ?? '/', '.claude', 'shell-snapshots')
  const snapshot = join(snapshots, 'snapshot-bash-1.sh')
  mkdirSync(snapshots, { recursive: true })
  writeFileSync(snapshot, '# Snapshot file\nunalias -a 2>/dev/null || true\n')
  const folder = join(process.env['CLAUDE_CODE_TMPDIR'] ?? tmpdir(), `claude-${randomBytes(2).toString('hex')}-cwd`)
  const quoted = `'${command.replaceAll("'", `'"'"'`)}'`
  return `source ${snapshot} 2>/dev/null || true && eval ${quoted} < /dev/null && pwd -P >| ${folder}`
}
