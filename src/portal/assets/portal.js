// Copy buttons, progress of batches, suggestions of a search. Pages work without this script: it shows the buttons, which could do
// nothing without it.
const status = document.createElement('p')
status.className = 'copy-status'
status.setAttribute('role', 'status')
document.body.append(status)

for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', () => copyText(button))
}

async function copyText(button) {
  const source = document.getElementById(button.dataset.copy)
  const isCopied = await writeClipboard(source.textContent)
  if (!isCopied) selectText(source)
  status.textContent = isCopied ? 'Copied' : 'The text is selected: copy it with the keyboard.'
  button.classList.toggle('copied', isCopied)
  setTimeout(() => {
    button.classList.remove('copied')
    status.textContent = ''
  }, 4000)
}

/** Browsers offer the clipboard only to pages from https and from this machine. */
async function writeClipboard(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function selectText(element) {
  getSelection().selectAllChildren(element)
}

/** The progress of a batch is loaded again, until the batch has ended. */
const REFRESH_MS = 4000
const progress = document.querySelector('[data-refresh]')
if (progress !== null) setTimeout(() => refresh(progress), REFRESH_MS)

async function refresh(element) {
  const isUsed = element.contains(document.activeElement)
  const next = document.hidden || isUsed ? element : await loadAgain(element)
  if (next === null) location.reload()
  else setTimeout(() => refresh(next), REFRESH_MS)
}

/** Replaces an element with that of the page as it is now. Returns null if the page is another one now. */
async function loadAgain(element) {
  try {
    const response = await fetch(location.href)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const found = page.getElementById(element.id)
    if (response.status >= 500) return element
    if (response.redirected || found === null || !('refresh' in found.dataset)) return null
    element.replaceWith(document.adoptNode(found))
    return found
  } catch {
    return element // The service or the network is away.
  }
}

/** Pause after the last key before suggestions are asked for. */
const SUGGEST_MS = 150
for (const input of document.querySelectorAll('input[data-suggestions]')) {
  let timer
  let latest = 0
  input.addEventListener('input', () => {
    clearTimeout(timer)
    const asked = ++latest
    timer = setTimeout(async () => {
      const names = await findSuggestions(input)
      if (asked === latest) input.list.replaceChildren(...names.map((name) => new Option('', name)))
    }, SUGGEST_MS)
  })
}

async function findSuggestions({ value, dataset }) {
  if (value.trim() === '') return []
  try {
    const response = await fetch(`${dataset.suggestions}?q=${encodeURIComponent(value)}`)
    return response.ok ? await response.json() : []
  } catch {
    return [] // The search works without them.
  }
}
