import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const listening = '0A'

/** The program that listens on a port, as `<command> (pid <pid>)`, where this machine and our rights let us see it. */
export function portOwner(port: number): string | undefined {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => inodesIn(table, port)))
  if (sockets.size === 0) return undefined
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (holdsOne(pid, sockets)) return `${commandOf(pid)} (pid ${pid})`
  }
  return undefined
}

/** proc(5): field 2 is the local address with its port in hex, field 4 the state, field 10 the inode. */
function inodesIn(table: string, port: number): readonly string[] {
  return (read(table) ?? '').split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
    return state === listening && Number.parseInt(local.slice(local.indexOf(':') + 1), 16) === port ? [inode] : []
  })
}

function holdsOne(pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]
      return inode !== undefined && sockets.has(inode)
    })
  } catch {
    // Gone meanwhile, or somebody else's.
    return false
  }
}

function commandOf(pid: string): string {
  return (read(`/proc/${pid}/comm`) ?? 'a program').trim()
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
