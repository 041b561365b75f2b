import { escapeUTF8 } from 'entities'
import type { Runtime, Spec, View } from 'vega'

/** The attributes and texts of an image; its size is in pixels. */
interface ChartImage {
  /** Prefix of the ids in the image; unique in a page. */
  readonly id: string
  /** Classes of the image, for the style sheet. */
  readonly className: string
  readonly width: number
  readonly height: number
  /** Texts for screen readers. */
  readonly title: string
  readonly description: string
}

/**
 * Draws a chart as SVG without scripts and style attributes, which scales with its container.
 * @param fill gives the view its size and data
 */
type DrawChart = (image: ChartImage, fill: (view: View) => View) => Promise<string>

/**
 * Prepares a kind of chart. Vega is loaded and the specification is parsed when the first chart is drawn: Vega takes 150 ms to load.
 * @param specification colours are left to the style sheet, whose rules have precedence over the attributes that Vega writes
 */
export function defineChart(specification: Spec): DrawChart {
  let opened: Promise<{ readonly createView: () => View }> | undefined
  return async (image, fill) => {
    const { createView } = await (opened ??= openRenderer(specification))
    const view = fill(createView())
    try {
      return replaceHead(await view.toSVG(), image)
    } finally {
      view.finalize()
    }
  }
}

async function openRenderer(specification: Spec): Promise<{ readonly createView: () => View }> {
  const vega = await import('vega')
  const runtime: Runtime = vega.parse(specification)
  return { createView: () => new vega.View(runtime, { renderer: 'none' }) }
}

/** Replaces the opening tag with one that scales and has a title. */
function replaceHead(svg: string, { id, className, width, height, title, description }: ChartImage): string {
  const head = [
    `<svg class="${className}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">`,
    `<title id="${id}-title">${escapeUTF8(title)}</title>`,
    `<desc id="${id}-desc">${escapeUTF8(description)}</desc>`,
  ]
  return svg.replace(/^<svg [^>]*>/, () => head.join(''))
}
