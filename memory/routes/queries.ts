import type { HttpApp } from '../../edges/http/app.ts'
import type { MemoryDeps } from '../deps.ts'

export function queriesRoutes(_app: HttpApp, _deps: MemoryDeps): void {}
