/** Which pages a browser renders: none, those that show hardly any text without their scripts, or all. */
export const RENDER_MODES = ['never', 'auto', 'always'] as const
export type RenderMode = (typeof RENDER_MODES)[number]

/** How the warning begins that says why a page was not rendered. */
export const NOT_RENDERED = 'the page was not rendered: '
