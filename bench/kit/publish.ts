import type { BenchArguments } from './arguments.ts'
import { writeSection } from './document.ts'
import { exitCodeOf, jsonLine, verdictLines, type Report } from './report.ts'

/** Exit code EX_USAGE of sysexits: neither a missed gate nor an invalid run. */
export function refuseCall(why: string): 64 {
  console.error(why)
  return 64
}

/** Prints the report, writes its section and its line where asked, and gives the exit code. */
export async function publish(
  report: Report,
  asked: Pick<BenchArguments, 'json' | 'write'>,
  said: { readonly tables: string; readonly section: () => string },
): Promise<0 | 1 | 2> {
  console.log(`\n${said.tables}\n`)
  for (const line of verdictLines(report)) console.log(line)
  if (asked.write) await writeSection(report.name, said.section())
  if (asked.json) console.log(jsonLine(report))
  return exitCodeOf(report)
}
