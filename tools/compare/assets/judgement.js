// Asks for each naming of the sample whether it is right, stores the answers, and counts them when all are given.
const find = (id) => document.getElementById(id)
const holder = find('sample')
if (holder !== null) judge(JSON.parse(holder.textContent))

function judge({ run, detectors, sample }) {
  const key = `comparison ${run}`
  let answers = readStored(key)
  let at = findOpen()

  function findOpen() {
    const open = sample.findIndex((_, i) => answers[i] === undefined)
    return open === -1 ? sample.length : open
  }

  function give(answer) {
    answers = { ...answers, [at]: answer }
    store(key, answers)
    at = at + 1 < sample.length && answers[at + 1] === undefined ? at + 1 : findOpen()
    show()
  }

  function show() {
    const isDone = at === sample.length
    find('question').hidden = isDone
    find('counts').replaceChildren(...(isDone ? [buildCounts(detectors, sample, answers)] : []))
    if (!isDone) showNaming(sample[at], { at, count: sample.length, answer: answers[at] })
  }

  for (const button of document.querySelectorAll('[data-answer]'))
    button.addEventListener('click', () => give(button.dataset.answer))
  find('back').addEventListener('click', () => {
    at = Math.max(0, at - 1)
    show()
  })
  onNumberKey((button) => at < sample.length && give(button.dataset.answer))
  find('clear').addEventListener('click', () => {
    answers = {}
    at = 0
    store(key, answers)
    show()
  })
  find('save').addEventListener('click', () => save({ run, answers: listAnswers(detectors, sample, answers) }))
  find('load').addEventListener('change', async ({ target }) => {
    const problem = find('problem')
    problem.textContent = ''
    try {
      answers = readAnswers(JSON.parse(await target.files[0].text()), run, sample)
      store(key, answers)
      at = findOpen()
      show()
    } catch (error) {
      problem.textContent = `The file cannot be used: ${error.message}`
    }
    target.value = ''
  })
  show()
}

/** Calls a function with the button that a key from 1 to 3 stands for. */
function onNumberKey(press) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const button = document.querySelectorAll('[data-answer]')[['1', '2', '3'].indexOf(event.key)]
    if (button !== undefined) press(button)
  })
}

function showNaming({ name, url, facts, source }, { at, count, answer }) {
  find('progress').textContent = `Naming ${at + 1} of ${count}`
  find('page-url').textContent = url
  find('asked-name').textContent = name
  find('source').textContent = source
  find('back').disabled = at === 0
  for (const button of document.querySelectorAll('[data-answer]'))
    button.setAttribute('aria-pressed', String(button.dataset.answer === answer))
  find('facts').replaceChildren(
    ...facts.flatMap(([label, text]) => [build('dt', label), build('dd', ...markName(text, name))]),
  )
}

/** Splits a text, and marks where the name is in it. */
function markName(text, name) {
  const at = text.toLowerCase().indexOf(name.toLowerCase())
  if (at === -1) return [text]
  const end = at + name.length
  return [text.slice(0, at), build('mark', text.slice(at, end)), text.slice(end)]
}

function build(tag, ...children) {
  const element = document.createElement(tag)
  element.append(...children)
  return element
}

/** The judged namings of each detector, and those that only others have. */
function buildCounts(detectors, sample, answers) {
  const rows = detectors.map((name, detector) => {
    const count = (isOwn, answer) =>
      sample.filter(({ by }, i) => by.includes(detector) === isOwn && answers[i] === answer).length
    const [right, wrong, unsure, missed] = [
      count(true, 'yes'),
      count(true, 'no'),
      count(true, 'unsure'),
      count(false, 'yes'),
    ]
    const share = right + wrong === 0 ? '–' : `${((100 * right) / (right + wrong)).toFixed(0)}%`
    return [name, right, wrong, unsure, share, missed]
  })
  const head = ['Detector', 'Right', 'Wrong', 'Cannot tell', 'Right of judged', 'Right, but only others']
  const table = build(
    'table',
    build('thead', buildRow(head, 'th')),
    build('tbody', ...rows.map((row) => buildRow(row, 'td'))),
  )
  const box = build('div', table)
  box.className = 'table'
  return box
}

function buildRow(cells, tag) {
  return build('tr', ...cells.map((cell) => build(tag, String(cell))))
}

function listAnswers(detectors, sample, answers) {
  return sample.flatMap(({ name, url, by }, i) =>
    answers[i] === undefined ? [] : [{ number: i, name, url, answer: answers[i], by: by.map((one) => detectors[one]) }],
  )
}

function readAnswers(file, run, sample) {
  if (file?.run !== run) throw new Error('it has the answers to another comparison')
  const isValid = ({ number, answer }) => number in sample && ['yes', 'no', 'unsure'].includes(answer)
  if (!Array.isArray(file.answers) || !file.answers.every(isValid)) throw new Error('it has answers that do not exist')
  return Object.fromEntries(file.answers.map(({ number, answer }) => [number, answer]))
}

function save(content) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([`${JSON.stringify(content, null, 2)}\n`], { type: 'application/json' }))
  link.download = 'answers.json'
  link.click()
  URL.revokeObjectURL(link.href)
}

function readStored(key) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {}
  } catch {
    return {}
  }
}

function store(key, answers) {
  try {
    localStorage.setItem(key, JSON.stringify(answers))
  } catch {
    find('problem').textContent = 'This browser does not store the answers: save them to a file.'
  }
}
