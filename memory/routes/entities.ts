import type { HttpApp } from '../../edges/http/app.ts'
import type { MemoryDeps } from '../deps.ts'

export function entitiesRoutes(_app: HttpApp, _deps: MemoryDeps): void {}
