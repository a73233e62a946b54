import { type ComponentType, createContext, useContext } from 'react'
import type { Issue, Json } from '../../../../client/index.js'
import type { ValueRule } from '../../../../client/protocol/model/collection.js'

/** Props of every control of a form. */
export interface ControlProps {
  /** The id of the element that a label or a link to the field leads to. */
  readonly id: string
  readonly label: string
  readonly rule: ValueRule
  readonly isRequired: boolean
  /** Undefined if missing. */
  readonly value: Json | undefined
  readonly onChange: (value: Json | undefined) => void
  /** Problems, by paths below this value. */
  readonly issues: readonly Issue[]
  /** Shown while the value is missing. */
  readonly placeholder?: string | undefined
  readonly isWrong: boolean
  /** Whether it has only the space of a cell. */
  readonly isNarrow?: boolean
}

/** Gives the controls of lists and objects the control for each of their parts, which also contains them. */
export const ControlContext = createContext<ComponentType<ControlProps>>(() => null)

export function useControl(): ComponentType<ControlProps> {
  return useContext(ControlContext)
}
