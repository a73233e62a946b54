/** Error boundary: if a page crashes, the rest of the dashboard keeps working. */
import { Component, type ReactNode } from 'react'
import { Button } from './button.js'
import { describeError, Empty } from './states.js'

interface BoundaryProps {
  /** Retries when it changes. */
  readonly location: string
  readonly children: ReactNode
}

interface BoundaryState {
  readonly error: unknown
  readonly location: string
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: undefined, location: this.props.location }

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error }
  }

  static getDerivedStateFromProps({ location }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return state.location === location ? null : { error: undefined, location }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <Empty title="This page crashed">
        <p className="mono">{describeError(error)}</p>
        <Button look="main" onClick={() => this.setState({ error: undefined })}>
          Try again
        </Button>
      </Empty>
    )
  }
}
