def policy(observation, action_mask):
    return action_mask.argmax()
