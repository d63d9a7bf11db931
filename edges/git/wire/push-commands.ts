import { ProtocolError, type PktReader } from './pkt-line.ts'

export interface PushCommand {
  readonly before: string
  readonly after: string
  readonly ref: string
}

export interface PushRequest {
  readonly commands: readonly PushCommand[]
  readonly capabilities: ReadonlySet<string>
}

export const NO_OBJECT = '0'.repeat(40)
const MOST_COMMANDS = 100
const line = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\0\n]+)\n?$/

/** The list of commands before the pack (gitprotocol-pack, "Reference Update Request"). */
export async function readPushRequest(reader: PktReader): Promise<PushRequest> {
  const commands: PushCommand[] = []
  let capabilities: ReadonlySet<string> = new Set()
  for (;;) {
    const pkt = await reader.next()
    if (pkt === 'flush' || pkt === 'end') return { commands, capabilities }
    const [text = '', caps] = pkt.toString('utf8').split('\0')
    if (caps !== undefined) capabilities = new Set(caps.trim().split(' '))
    if (text.startsWith('shallow '))
      throw new ProtocolError('push from a complete clone: this one is shallow (git fetch --unshallow)')
    const [, before, after, ref] = line.exec(text) ?? []
    if (before === undefined || after === undefined || ref === undefined)
      throw new ProtocolError('the list of commands cannot be read')
    if (commands.push({ before, after, ref }) > MOST_COMMANDS) throw new ProtocolError('too many refs in one push')
  }
}
