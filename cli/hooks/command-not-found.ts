import type { Hook } from '@oclif/core/hooks'
import { misuse } from '../base/failure.js'
import { nearest } from '../terminal/nearest.js'

/** Suggests the command that was probably meant. Never prompts, because scripts run it too. */
const commandNotFound: Hook.CommandNotFound = async ({ id, argv, config }) => {
  const words = id.split(':')
  const known = config.commands.filter(({ hidden }) => !hidden).map((command) => command.id.replaceAll(':', ' '))
  // The framework joins the arguments of a command that takes none to its id.
  const command = known.find((name) => `${words.join(' ')} `.startsWith(`${name} `))
  if (command) throw misuse(`"${command}" takes no arguments.`, `Show the usage: ${config.bin} ${command} --help`)
  const topic = findTopic(words, known)
  const verbs = verbsIn(topic, known)
  // The framework joins all words after a topic to the id, arguments included.
  const typed = words.slice(0, verbs.length > 0 ? topic.split(' ').length + 1 : words.length).join(' ')
  const meant =
    verbs.length > 0
      ? nearestCommand(topic, typed, known)
      : (otherNames.get(topic) ?? nearestTopic([...words, ...(argv ?? [])], known))
  if (meant) throw misuse(`Unknown command "${typed}".`, `Did you mean "${config.bin} ${meant}"?`)
  if (verbs.length > 0) {
    throw misuse(`Unknown command "${typed}".`, `Commands in "${topic}": ${verbs.join(', ')}.`)
  }
  const hint = hints.get(topic) ?? `List all commands: ${config.bin} --help`
  throw misuse(`Unknown command "${typed}".`, hint)
}

/** Returns the longest topic that the words begin with, else the first word. */
function findTopic(words: readonly string[], known: readonly string[]): string {
  const two = words.slice(0, 2).join(' ')
  return known.some((name) => name.startsWith(`${two} `)) ? two : (words[0] ?? '')
}

function verbsIn(topic: string, known: readonly string[]): string[] {
  return known.filter((name) => name.startsWith(`${topic} `)).map((name) => name.slice(topic.length + 1))
}

/** Groups verbs that mean the same in other tools or topics. */
const synonyms = [
  ['get', 'show', 'view', 'describe'],
  ['list', 'ls'],
  ['create', 'add', 'new', 'signup', 'save', 'register'],
  ['delete', 'remove', 'rm', 'revoke', 'clear', 'drop'],
  ['update', 'set', 'edit', 'patch', 'change', 'put'],
  ['load', 'restore', 'apply'],
  ['login', 'signin'],
  ['logout', 'signout'],
]

/** Maps names from other tools to commands of ours. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ...['start', 'run', 'emulators'].map((word) => [word, 'dev'] as const),
  ...['kill', 'quit'].map((word) => [word, 'stop'] as const),
  ...['ps', 'info'].map((word) => [word, 'status'] as const),
  ...['dashboard', 'ui', 'studio', 'console'].map((word) => [word, 'open'] as const),
  ...['login', 'link', 'auth'].map((word) => [word, 'profiles add'] as const),
  ['env', 'status --env'],
  ['version', '--version'],
  ['completion', 'autocomplete'],
  ['import', 'docs import'],
  ['export', 'docs export'],
  ['backup', 'snapshot save'],
  ['restore', 'snapshot load'],
])

const hints: ReadonlyMap<string, string> = new Map([
  [
    'deploy',
    'There is nothing to deploy. Copy collections to a service: svc push. Run the service yourself: svc serve.',
  ],
])

/** Compares verbs only, because a long topic would make any two commands look alike. */
function nearestCommand(topic: string, typed: string, known: readonly string[]): string | undefined {
  const word = typed.slice(topic.length + 1)
  const verbs = verbsIn(topic, known)
  const same = synonyms.filter((words) => words.includes(word)).flat()
  const verb = same.find((one) => verbs.includes(one)) ?? nearest(word, verbs)
  return verb && `${topic} ${verb}`
}

/** Corrects the topic of `doc list` or `collection list`, and its verb too if needed. */
function nearestTopic([first = '', second = '']: readonly string[], known: readonly string[]): string | undefined {
  const topic = nearest(first, [...new Set(known.map((name) => name.split(' ', 1)[0] ?? name))])
  if (second === '') return topic
  return topic && (nearestCommand(topic, `${topic} ${second}`, known) ?? topic)
}

export default commandNotFound
