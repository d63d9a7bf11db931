/** Loaded before an orchestrator: takes down the walls that its own address names (`?down=a,b`). */
import { plant } from '../../plant.ts'
import { walls, type Wall } from './walls.ts'

const names = new URL(import.meta.url).searchParams.get('down')!.split(',') as readonly Wall[]
plant({ name: names.join(), edits: names.flatMap((name) => walls[name]) })
