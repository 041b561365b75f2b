// Copy buttons. Pages work without this script: it shows the buttons, which could do nothing without it.
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
