def agent(observation, configuration):
    for column in range(configuration.columns):
        if observation.board[column] == 0:
            return column
