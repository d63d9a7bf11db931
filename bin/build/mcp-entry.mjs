// The MCP stdio server as one file: what a pod starts beside its agent, where every tenth of a second is felt.
import { mcp } from '../../cli/commands/mcp.ts'
import { version } from '../../package.json' with { type: 'json' }

/** As the command line does it: a fault is one line and exit code 1. */
export async function main() {
  try {
    await mcp(process.env, version)
  } catch (error) {
    console.error(`statewright: ${error.message}`)
    process.exitCode = 1
  }
}
