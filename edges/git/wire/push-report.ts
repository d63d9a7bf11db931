import { flushPkt, pktLine, sideBand } from './pkt-line.ts'
import type { PushRequest } from './push-commands.ts'

export interface RefResult {
  readonly ref: string
  /** Absent: done. Else what git shows behind `[remote rejected]`. */
  readonly refused?: string
}

/** The answer that git prints ref by ref; `advice` appears as `remote:` lines. */
export function pushReport({ capabilities }: PushRequest, results: readonly RefResult[], advice: string = ''): Buffer {
  if (!capabilities.has('report-status')) return Buffer.alloc(0)
  const lines = results.map(({ ref, refused }) =>
    refused === undefined ? `ok ${ref}\n` : `ng ${ref} ${oneLine(refused)}\n`,
  )
  const report = Buffer.concat([pktLine('unpack ok\n'), ...lines.map((line) => pktLine(line)), flushPkt])
  if (!capabilities.has('side-band-64k')) return report
  const words = advice === '' ? Buffer.alloc(0) : sideBand(2, Buffer.from(`${advice}\n`))
  return Buffer.concat([words, sideBand(1, report), flushPkt])
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 500)
}
