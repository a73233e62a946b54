import type { Hook } from '@oclif/core/hooks'
import { misuse } from '../base/failure.js'
import { nearest } from '../terminal/nearest.js'

/** Says which command was probably meant. It never asks: the same words must do in a script. */
const commandNotFound: Hook.CommandNotFound = async ({ id, argv, config }) => {
  const words = id.split(':')
  const known = config.commands.filter(({ hidden }) => !hidden).map((command) => command.id.replaceAll(':', ' '))
  // Where a command takes no arguments, what follows it looks like words of it.
  const command = known.find((name) => `${words.join(' ')} `.startsWith(`${name} `))
  if (command) throw misuse(`"${command}" takes no arguments.`, `See how it is used: ${config.bin} ${command} --help`)
  const topic = topicOf(words, known)
  const verbs = verbsOf(topic, known)
  // What follows a topic counts as words of the command, so that arguments look like words of it too.
  const typed = words.slice(0, verbs.length > 0 ? topic.split(' ').length + 1 : words.length).join(' ')
  const meant =
    verbs.length > 0
      ? nearestOf(topic, typed, known)
      : (ofOtherTools.get(topic) ?? nearestTopic([...words, ...(argv ?? [])], known))
  if (meant) throw misuse(`Unknown command "${typed}".`, `Did you mean "${config.bin} ${meant}"?`)
  if (verbs.length > 0) {
    throw misuse(`Unknown command "${typed}".`, `After "${topic}" there are: ${verbs.join(', ')}.`)
  }
  throw misuse(`Unknown command "${typed}".`, `List the commands: ${config.bin} --help`)
}

/** The longest topic that the words begin with, `users 2fa` rather than `users`; else the first word. */
function topicOf(words: readonly string[], known: readonly string[]): string {
  const two = words.slice(0, 2).join(' ')
  return known.some((name) => name.startsWith(`${two} `)) ? two : (words[0] ?? '')
}

function verbsOf(topic: string, known: readonly string[]): string[] {
  return known.filter((name) => name.startsWith(`${topic} `)).map((name) => name.slice(topic.length + 1))
}

/** Verbs that other tools, or other topics, have for the same. */
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

/** What other tools call a command that has no topic, or whose topic they leave out. */
const ofOtherTools: ReadonlyMap<string, string> = new Map([
  ...['start', 'up', 'run', 'emulators'].map((word) => [word, 'dev'] as const),
  ...['down', 'kill', 'quit'].map((word) => [word, 'stop'] as const),
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

/** The command of a topic that was probably meant. The verb alone decides: a long topic would make any two look alike. */
function nearestOf(topic: string, typed: string, known: readonly string[]): string | undefined {
  const word = typed.slice(topic.length + 1)
  const verbs = verbsOf(topic, known)
  const same = synonyms.filter((words) => words.includes(word)).flat()
  const verb = same.find((one) => verbs.includes(one)) ?? nearest(word, verbs)
  return verb && `${topic} ${verb}`
}

/** `doc list` and `collection list` mistake the topic only. */
function nearestTopic([first = '', second = '']: readonly string[], known: readonly string[]): string | undefined {
  const topic = nearest(first, [...new Set(known.map((name) => name.split(' ', 1)[0] ?? name))])
  if (second === '') return topic
  return topic && (nearestOf(topic, `${topic} ${second}`, known) ?? topic)
}

export default commandNotFound
