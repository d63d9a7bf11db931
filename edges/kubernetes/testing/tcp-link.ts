/** A line of TCP to an API server that a test counts, cuts and silences. */
import { readFile, writeFile, mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TcpLink {
  /** As the given one, over this line. */
  readonly kubeconfig: string
  connections(): number
  /** Ends what is open and refuses what comes. */
  cut(): void
  /** Takes what comes and carries nothing, on what is open as well: as a peer that vanished. */
  silence(): void
  /** Carries again what comes from now on. */
  mend(): void
}

export async function withTcpLink(kubeconfig: string, use: (link: TcpLink) => Promise<void>): Promise<void> {
  const text = await readFile(kubeconfig, 'utf8')
  const port = Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(text)![1])
  const open = new Set<Socket>()
  let state: 'carries' | 'cut' | 'silent' = 'carries'
  let connections = 0
  const keep = (socket: Socket): void => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
  }
  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy()
    connections++
    keep(near)
    if (state === 'silent') return
    const far = connect(port, '127.0.0.1')
    keep(far)
    near.pipe(far).pipe(near)
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = await mkdtemp(join(tmpdir(), 'kube-link-'))
  const own = join(folder, 'kubeconfig')
  await writeFile(own, text.replace(`127.0.0.1:${port}`, `127.0.0.1:${(server.address() as AddressInfo).port}`))
  const cut = (): void => {
    state = 'cut'
    for (const socket of open) socket.destroy()
  }
  const silence = (): void => {
    state = 'silent'
    for (const socket of open) socket.unpipe().pause()
  }
  try {
    await use({ kubeconfig: own, connections: () => connections, cut, silence, mend: () => void (state = 'carries') })
  } finally {
    cut()
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
  }
}
