/** The chart that is seen, as a file: SVG and PNG by its own style sheet, Mermaid as text. */
import type { Chart } from '../../charts/chart.ts'
import { mermaidOf } from '../../charts/mermaid.ts'

export const exportFormats = ['SVG', 'PNG', 'Mermaid'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** For screens with more points than pixels, and for print. */
const pngScale = 2

/** @param whole Mermaid folds by itself: it gets all states. */
export async function exportChart(
  format: ExportFormat,
  drawing: SVGSVGElement,
  whole: Chart,
  active: ReadonlySet<string>,
): Promise<void> {
  if (format === 'Mermaid')
    return save(new Blob([mermaidOf(whole, active)], { type: 'text/plain' }), `${whole.kind}.mmd`)
  const text = svgText(drawing)
  if (format === 'SVG') return save(new Blob([text], { type: 'image/svg+xml' }), `${whole.kind}.svg`)
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = drawing.viewBox.baseVal.width * pngScale
  canvas.height = drawing.viewBox.baseVal.height * pngScale
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  canvas.toBlob((blob) => blob && save(blob, `${whole.kind}.png`), 'image/png')
}

const properties = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'font-size',
  'font-weight',
  'font-family',
  'paint-order',
]

/** What one works with on the page; in a file every program would read it out, or stop there. */
const handles = ['tabindex', 'role', 'aria-current', 'aria-expanded']
/** They take a click beside what is seen. Not every program that reads SVG knows of paint that is not seen. */
const unseen = '.reach, [fill=transparent]'

/** A copy that needs no page: what style sheets and variables say stands in each element. */
function svgText(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true)
  if (!(copy instanceof SVGSVGElement)) return ''
  const originals = drawing.querySelectorAll('*')
  copy.querySelectorAll('*').forEach((element, index) => {
    const original = originals[index]
    if (original === undefined) return
    const style = getComputedStyle(original)
    for (const name of properties) element.setAttribute(name, style.getPropertyValue(name))
    for (const name of handles) element.removeAttribute(name)
    if (original.matches(unseen)) element.remove()
  })
  const { width, height } = drawing.viewBox.baseVal
  copy.setAttribute('role', 'img')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  // No style attribute: the page's policy forbids it.
  const ground = document.createElementNS(copy.namespaceURI, 'rect')
  for (const [name, value] of Object.entries({ width, height, fill: getComputedStyle(document.body).backgroundColor }))
    ground.setAttribute(name, String(value))
  copy.prepend(ground)
  return new XMLSerializer().serializeToString(copy)
}

function save(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
