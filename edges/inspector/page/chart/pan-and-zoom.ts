/** A frame that scrolls: moved by drag, made larger and smaller by Ctrl and wheel or by key, around what is looked at. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { keyIn } from '../keys.ts'

type Frame = { readonly current: HTMLElement | null }

const scales = { smallest: 0.2, largest: 3 }
/** Below this a press that moved is still a click. */
const dragFrom = 4
const wheelSpeed = 0.0022

/** Zero in a tab that is not shown. */
export function useRoom(frame: Frame): { readonly width: number; readonly height: number } {
  const [room, setRoom] = useState({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const canvas = frame.current
    if (canvas === null) return
    const measure = (): void => {
      const { offsetWidth: width, offsetHeight: height } = canvas
      setRoom((before) => (before.width === width && before.height === height ? before : { width, height }))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(canvas)
    return () => observer.disconnect()
  }, [])
  return room
}

/** What keeps its place on the screen while the drawing changes: a state's corner, or a point of the drawing. */
interface Anchor {
  readonly state?: string
  readonly left: number
  readonly top: number
  /** From the drawing's corner, at scale 1. */
  readonly x: number
  readonly y: number
  readonly isSmooth?: boolean
}

interface Zoom {
  readonly scale: number
  zoom(to: (now: number) => number, at?: { readonly left: number; readonly top: number }): void
  keepInPlace(state: string): void
  /** Puts this point of the drawing into the middle of the frame. */
  centre(point: Pick<Anchor, 'x' | 'y'>, to: number): void
}

/** @param anew with another one of it, it begins at the first scale again. */
export function useZoom(frame: Frame, first: number, anew: unknown): Zoom {
  // A new one draws anew, also where the scale stays.
  const [{ scale }, setZoom] = useState({ scale: first })
  const anchor = useRef<Anchor | undefined>(undefined)
  useEffect(() => setZoom({ scale: first }), [anew])
  const zoom: Zoom['zoom'] = (to, at) => {
    const canvas = frame.current
    const drawing = canvas?.querySelector('svg')?.getBoundingClientRect()
    if (!canvas || !drawing) return
    const { left, top } = at ?? middleOf(canvas)
    setZoom(({ scale: now }) => {
      anchor.current = { left, top, x: (left - drawing.left) / now, y: (top - drawing.top) / now }
      return { scale: Math.min(scales.largest, Math.max(scales.smallest, to(now))) }
    })
  }
  const centre: Zoom['centre'] = (point, to) => {
    if (frame.current === null) return
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    anchor.current = { ...middleOf(frame.current), ...point, isSmooth: to === scale && !isStill }
    setZoom({ scale: to })
  }
  const keepInPlace = (state: string): void => {
    const box = boxOf(frame.current, state)
    if (box !== undefined) anchor.current = { state, left: box.left, top: box.top, x: 0, y: 0 }
  }
  useLayoutEffect(() => {
    const { current: canvas } = frame
    const { current: kept } = anchor
    if (canvas === null || kept === undefined) return
    anchor.current = undefined
    const now =
      kept.state === undefined ? canvas.querySelector('svg')?.getBoundingClientRect() : boxOf(canvas, kept.state)
    if (now)
      canvas.scrollBy({
        left: now.left + kept.x * scale - kept.left,
        top: now.top + kept.y * scale - kept.top,
        behavior: kept.isSmooth === true ? 'smooth' : 'instant',
      })
  })
  const newest = useRef(zoom)
  newest.current = zoom
  useEffect(() => {
    const canvas = frame.current
    const turn = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const by = Math.exp(-event.deltaY * wheelSpeed)
      newest.current((now) => now * by, { left: event.clientX, top: event.clientY })
    }
    const press = (event: KeyboardEvent): void => {
      const { zoom: by } = keyIn('Chart', event.key) ?? {}
      if (by === undefined || event.ctrlKey || event.metaKey) return
      newest.current((now) => now * by)
    }
    canvas?.addEventListener('wheel', turn, { passive: false })
    canvas?.addEventListener('keydown', press)
    return () => {
      canvas?.removeEventListener('wheel', turn)
      canvas?.removeEventListener('keydown', press)
    }
  }, [])
  return { scale, zoom, keepInPlace, centre }
}

function middleOf(canvas: HTMLElement): { readonly left: number; readonly top: number } {
  const { left, top, width, height } = canvas.getBoundingClientRect()
  return { left: left + width / 2, top: top + height / 2 }
}

function boxOf(canvas: HTMLElement | null, state: string): DOMRect | undefined {
  return canvas?.querySelector(`[data-state="${CSS.escape(state)}"] .box`)?.getBoundingClientRect()
}

/** A finger scrolls by itself; a mouse drags. */
export function useDrag(frame: Frame): void {
  useEffect(() => {
    const canvas = frame.current
    if (canvas === null) return
    let from: { readonly x: number; readonly y: number; readonly left: number; readonly top: number } | undefined
    let isDragged = false
    const end = new AbortController()
    const { signal } = end
    const press = (event: PointerEvent): void => {
      if (event.button !== 0 || event.pointerType === 'touch') return
      from = { x: event.clientX, y: event.clientY, left: canvas.scrollLeft, top: canvas.scrollTop }
      isDragged = false
    }
    const move = (event: PointerEvent): void => {
      if (from === undefined) return
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y]
      if (!isDragged && Math.hypot(dx, dy) < dragFrom) return
      isDragged = true
      canvas.classList.add('dragged')
      canvas.scrollTo({ left: from.left - dx, top: from.top - dy, behavior: 'instant' })
    }
    const release = (): void => {
      from = undefined
      canvas.classList.remove('dragged')
    }
    const click = (event: MouseEvent): void => {
      if (isDragged) event.stopPropagation()
      isDragged = false
    }
    canvas.addEventListener('pointerdown', press, { signal })
    addEventListener('pointermove', move, { signal })
    addEventListener('pointerup', release, { signal })
    addEventListener('pointercancel', release, { signal })
    canvas.addEventListener('click', click, { signal, capture: true })
    return () => end.abort()
  }, [])
}
