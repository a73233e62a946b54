import { Chalk, type ChalkInstance, supportsColor, supportsColorStderr } from 'chalk'

/** Colours for stdout and stderr: none without a terminal or with NO_COLOR, always with FORCE_COLOR. */
export const onStdout: ChalkInstance = new Chalk({ level: chooseLevel(supportsColor) })
export const onStderr: ChalkInstance = new Chalk({ level: chooseLevel(supportsColorStderr) })

function chooseLevel(supported: typeof supportsColor): 0 | 1 | 2 | 3 {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (NO_COLOR && !FORCE_COLOR) return 0
  return supported ? supported.level : 0
}
