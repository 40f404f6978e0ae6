def step(state):
    return state.legal_actions()[0]
