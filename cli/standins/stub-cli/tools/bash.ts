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
      const { code, stdout, stderr } = await run(String(input['command'] ?? ''), { cwd, timeoutMs, signal })
      const output = [stdout.trimEnd(), stderr.trimEnd()].filter((text) => text !== '').join('\n')
      return code === 0
        ? { text: output, error: false }
        : { text: `Exit code ${code}\n${output}`.trimEnd(), error: true }
    },
  }
}
